from __future__ import annotations

from pathlib import Path

import pytest
from killed_saver import kill_savers


@pytest.mark.stress
def test_no_acknowledged_correction_is_lost_when_the_process_is_killed_a_thousand_times(tmp_path: Path) -> None:
    acknowledged = kill_savers(tmp_path / "data", rounds=1000, first_seed=10_000)
    assert acknowledged >= 1000
