# syntax=docker/dockerfile:1
# Two targets: `gpu` (vLLM, for NVIDIA cards) and `cpu`, the last one, which is built where none is named.
ARG PYTHON=python:3.11-slim-bookworm

FROM ${PYTHON} AS base
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    OCR_UI_HOST=0.0.0.0 \
    OCR_UI_DATA_DIR=/data \
    OCR_UI_EXPORT_DIR=/data/exports \
    HF_HOME=/weights
# Number 1000 is whom Hugging Face's Spaces run a container as.
RUN useradd --uid 1000 --create-home workbench \
    && install --directory --owner=workbench --group=workbench /app /data /weights
WORKDIR /app
# /data: database, pictures, own templates. /weights: what the hub was asked for.
VOLUME ["/data", "/weights"]
EXPOSE 7860
# Alive, not ready: a model may take minutes to load, and a restart would only make it longer.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/healthz', timeout=8)"]
# Without a login it does not start: OCR_UI_AUTH (docs/access.md).
CMD ["python", "app.py"]

FROM base AS gpu
# Triton compiles its kernels' launchers when vLLM starts.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY requirements-cpu.txt requirements.txt ./
RUN pip install -r requirements.txt
COPY --chown=workbench:workbench . .
USER 1000

FROM base AS cpu
COPY requirements-cpu.txt ./
RUN pip install -r requirements-cpu.txt
COPY --chown=workbench:workbench . .
USER 1000
