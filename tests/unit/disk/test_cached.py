"""The cache: what was used longest ago goes first, and nothing that somebody may be about to use."""

import os
import time
from pathlib import Path

from assistant.disk.cached import make_room, note_use

DAY_S = 86400
_HOUR_S = 3600


def _entry(cache: Path, name: str, size_bytes: int, unused_s: float) -> Path:
    """A build of that size, last used that long ago."""
    folder = cache / "builds" / name
    (folder / "unit0").mkdir(parents=True)
    (folder / "program").write_bytes(bytes(size_bytes // 2))
    (folder / "unit0" / "unit.cpp").write_bytes(bytes(size_bytes - size_bytes // 2))
    os.utime(folder, (time.time() - unused_s,) * 2)
    return folder


def _left(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "builds").iterdir())


def test_above_the_limit_what_was_used_longest_ago_goes(tmp_path: Path) -> None:
    for hours in (2, 3, 4, 5):
        _entry(tmp_path, f"{hours}h", 1000, hours * _HOUR_S)
    note_use(tmp_path / "builds" / "5h")
    make_room(tmp_path, ("builds/*",), limit_bytes=2500)
    assert _left(tmp_path) == ["2h", "5h"]


def test_what_was_used_within_the_hour_stays_whatever_its_size(tmp_path: Path) -> None:
    _entry(tmp_path, "now", 10_000, 60)
    make_room(tmp_path, ("builds/*",), limit_bytes=1000)
    assert _left(tmp_path) == ["now"]


def test_what_was_not_used_for_a_month_goes_without_need(tmp_path: Path) -> None:
    _entry(tmp_path, "old", 10, 31 * DAY_S)
    _entry(tmp_path, "newer", 10, 29 * DAY_S)
    make_room(tmp_path, ("builds/*",))
    assert _left(tmp_path) == ["newer"]


def test_what_a_killed_process_left_unfinished_goes(tmp_path: Path) -> None:
    _entry(tmp_path, ".staging-1", 10, 2 * _HOUR_S)
    _entry(tmp_path, ".staging-2", 10, 60)
    make_room(tmp_path, ("builds/*",))
    assert _left(tmp_path) == [".staging-2"]


def test_a_second_look_soon_after_the_first_is_not_taken(tmp_path: Path) -> None:
    make_room(tmp_path, ("builds/*",))
    _entry(tmp_path, "old", 10, 31 * DAY_S)
    make_room(tmp_path, ("builds/*",))
    assert _left(tmp_path) == ["old"]
