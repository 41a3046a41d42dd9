from __future__ import annotations

from pathlib import Path

from killed_saver import kill_savers


def test_pe02_no_acknowledged_correction_is_lost_when_the_process_is_killed_a_hundred_times(tmp_path: Path) -> None:
    acknowledged = kill_savers(tmp_path / "data", rounds=100)
    assert acknowledged >= 100
