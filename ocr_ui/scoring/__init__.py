"""Trainers take their reward functions from here; all else is imported from its own module.

They are looked up when they are asked for, so that a module of this package does not load the rewards with it.
"""

from typing import Any

__all__ = ["compute_score", "trl_reward", "trl_reward_with"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    from ocr_ui.scoring import rewards

    return getattr(rewards, name)
