"""A compiler that could not write its files is told from one that refuses a source."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from assistant.build.full_disk import full_in_words, says_disk_is_full


@pytest.mark.parametrize(
    "line",
    [
        "/usr/bin/ld: final link failed: No space left on device",
        "collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]",
        "g++: internal compiler error: File size limit exceeded signal terminated program cc1plus",
        "unit.s: Fatal error: can't write 12 bytes to section .text of unit.o: Disk quota exceeded",
        "/tmp/c.s: Fatal error: can't write 3887 bytes to section .debug_str of x.partial: 'No space left on device'",
        "nvcc fatal: Could not open output file: File too large",
    ],
)
def test_every_way_to_say_it_is_understood(line: str) -> None:
    assert says_disk_is_full(1, f"{line}\ncompilation terminated.\n")


def test_a_compiler_killed_at_the_limit_says_nothing() -> None:
    assert says_disk_is_full(-25, "")


@pytest.mark.parametrize(
    ("status", "output"),
    [
        (1, "a.cu:3:2: error: #error No space left on device"),
        (0, "a.cu:3: warning: a: No space left on device"),
        (-11, ""),
    ],
)
def test_what_is_wrong_with_a_source_is_not_taken_for_it(status: int, output: str) -> None:
    assert not says_disk_is_full(status, output)


def test_the_folder_without_room_is_named(tmp_path: Path) -> None:
    full = Path("/proc")  # a file system without any room
    assert full_in_words(errno.ENOSPC, tmp_path, full / "nowhere") == "no space left in /proc/nowhere"
    assert full_in_words(errno.EFBIG, tmp_path) == f"no space left in {tmp_path}: file too large"
