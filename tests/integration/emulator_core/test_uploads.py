"""What the host copies to the device is recorded, and replaced by what a folder holds for those very bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.model.recording import Recording
from assistant.serialize import loads

PROGRAM = "emulator/problems/recorded.cu"


@pytest.fixture
def binary(build: Any) -> Path:
    return build(PROGRAM, "counted")


def recorded(folder: Path) -> Recording:
    return loads(Recording, (folder / "recording.json").read_bytes())


def printed(reply: dict[str, Any]) -> float:
    return float(Path(reply["stdout_path"]).read_text().split()[0])


def test_uploads_are_recorded_with_what_they_went_to(binary: Path, run: Any, tmp_path: Path) -> None:
    run(binary, mode="check", record=str(tmp_path / "recording"))
    recording = recorded(tmp_path / "recording")
    assert recording.uploads is not None
    factors, table = recording.uploads
    names = {buffer.id: buffer.symbol for buffer in recording.buffers}
    assert (names[factors.buffer], factors.size_bytes, factors.has_addresses) == ("scale", 16, False)
    assert (tmp_path / "recording" / "blobs" / factors.blob).read_bytes() == np.array([1, 2, 3, 4], np.float32).tobytes()
    assert (table.element_type, table.size_bytes, table.has_addresses, table.transfer_count) == ("float*", 16, True, 1), (
        "managed memory has reached the host"
    )


@pytest.mark.parametrize("is_candidate", [False, True])
def test_contents_with_a_file_are_replaced_and_recorded_as_the_program_meant_them(
    binary: Path, run: Any, tmp_path: Path, is_candidate: bool
) -> None:
    first = run(binary, mode="check", record=str(tmp_path / "recording"))
    before = recorded(tmp_path / "recording").uploads
    assert before is not None
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / before[0].key).write_bytes(np.array([1, 4, 3, 4], np.float32).tobytes())
    again = run(binary, mode="check", record=str(tmp_path / "again"), uploads=str(tmp_path / "others"), is_candidate=is_candidate)
    after = recorded(tmp_path / "again").uploads
    assert after is not None and after[0].key == before[0].key
    value = 99 * 1.5
    assert (printed(first), printed(again)) == (4 * value + 7, 8 * value + 7)


def test_of_more_than_is_kept_equal_contents_are_known(build: Any, run: Any, tmp_path: Path) -> None:
    """So that an edit of a program with large arrays can be seen to upload what the original does."""
    binary = build("emulator/problems/large_upload.cu", "counted")
    names: list[tuple[str, ...] | None] = []
    for folder, argument in (("a", "2"), ("b", "2"), ("c", "3")):
        run(binary, mode="count", record=str(tmp_path / folder), args=[argument])
        recording = recorded(tmp_path / folder)
        assert recording.uploads is None
        names.append(recording.uploaded_names)
    same, again, other = names
    assert same is not None and len(same) == 3 and same[0] == same[2] != same[1]
    assert again == same and other is not None and (other[0], other[1] == same[1]) == (same[0], False)
