"""The worker extension in a worker without memory for larger pages: it fails as torch does on a card that is full."""

from typing import Any

import torch
from vllm.v1.worker.worker_base import WorkerWrapperBase

MOST_TOKENS = 45
"""Of one page: the tiny model takes 58 for one of 256 x 192 pixels and 32 for one of half as many."""

_work = WorkerWrapperBase.execute_model


def _within_memory(self: Any, scheduled: Any, *given: Any, **named: Any) -> Any:
    for new in scheduled.scheduled_new_reqs:
        size = sum(feature.mm_position.length for feature in new.mm_features)
        if size > MOST_TOKENS and not new.req_id.startswith(("check-", "example-")):  # the start's own pictures
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.20 GiB.")
    return _work(self, scheduled, *given, **named)


WorkerWrapperBase.execute_model = _within_memory

from ocr_ui.engines.worker_extension import Extension  # noqa: E402, F401 - goes around what stands above
