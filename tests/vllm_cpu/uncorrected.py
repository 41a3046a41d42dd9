"""The worker extension without its correction of rows: vLLM mixes up pictures with it, and the start must notice."""

from vllm.model_executor.models.transformers import multimodal

_as_it_was = multimodal.MultiModalMixin._process_vision_input

from ocr_ui.engines.worker_extension import Extension, take_bytes_in_backend  # noqa: E402, F401

multimodal.MultiModalMixin._process_vision_input = _as_it_was
take_bytes_in_backend(multimodal)
