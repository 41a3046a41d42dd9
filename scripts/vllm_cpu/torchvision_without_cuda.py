"""Makes `import torchvision` work beside a torch without CUDA; scripts/install_vllm_cpu.sh puts it into place.

torchvision from PyPI is built for CUDA. Beside a CPU build of torch its C library does not load, and the import
fails because the operators `torchvision::nms` and `torchvision::qnms` were never defined. HunYuanVL needs only
torchvision's resize, which is plain torch, so it is enough that the two names exist. A `.pth` file loads this module
at the start of every Python process of the environment, vLLM's own processes included; torch is touched only when
torchvision is asked for.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from types import ModuleType

OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


class DefineOperatorsFirst(MetaPathFinder):
    """Defines the missing operators just before torchvision is imported, then steps aside."""

    def __init__(self) -> None:
        self.library: object | None = None

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> None:
        if name == "torchvision" and self.library is None:
            import torch

            self.library = library = torch.library.Library("torchvision", "DEF")
            for schema in OPERATORS:
                library.define(schema)


sys.meta_path.insert(0, DefineOperatorsFirst())
