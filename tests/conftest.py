"""For all tests."""

from __future__ import annotations

from hypothesis import settings

# The same tries at every run: what a new one finds by chance belongs to `make fuzz`, not to somebody's change.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")
