"""What the hosts of both versions copy to the device: what corresponds, under which names and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.judge.uploaded import PassedMemory, UploadsOfBoth, new_arguments, uploads_of_both
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording, Upload
from assistant.model.source import Source
from assistant.ports.lab import ProgramRun
from assistant.workload.derive import contents_of, with_contents
from assistant.workload.recordings import RecordingWriter, blob_name
from assistant.workload.uploads import draws

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
TEXT = """\
namespace ns { struct Table { float *rows; int n; }; }
struct Point { float x; int cell; };
__global__ void k(const float *x, const ns::Table &t, int n) {}
"""
PARSED = parse(Source(Path("/k.cu"), TEXT))
X, Y = np.linspace(1, 2, 64, dtype=np.float32).tobytes(), np.linspace(3, 4, 64, dtype=np.float32).tobytes()
FLAG = bytes(4)


def recording(*uploads: tuple[bytes, int], buffers: Sequence[RecordedBuffer] = (), has_addresses: bool = False, **more: Any) -> Recording:
    """``uploads``: (contents, transfers to the host before it), each to a buffer of its own."""
    kept = tuple(
        Upload(f"U{blob_name(data)[:4]}", blob_name(data), len(data), index, 0, has_addresses, transfers, "float")
        for index, (data, transfers) in enumerate(uploads)
    )
    return Recording(tuple(buffers), (), (), (), uploads=kept, **more)


def counted(folder: Path, made: Recording, *contents: bytes) -> CountedRun:
    writer = RecordingWriter(folder)
    for data in contents:
        writer.add_blob(data)
    run = ProgramRun(0, None, False, False, False, b"", b"", folder, made, 0, (), (), ())
    return CountedRun((), (), (), run)


def of(tmp_path: Path, a: Recording, b: Recording) -> UploadsOfBoth | str:
    return uploads_of_both(PARSED, *(counted(tmp_path, side, X, Y, X + Y, FLAG, X[:128]) for side in (a, b)))


LATER = "A copies contents to the device that the other version does not"


def test_uploads_correspond_as_wholes_and_in_parts(tmp_path: Path) -> None:
    whole, parts = recording((X + Y, 0)), recording((X, 0), (Y, 0))
    for a, b in ((whole, parts), (parts, whole), (parts, parts)):
        found = of(tmp_path, a, b)
        assert isinstance(found, UploadsOfBoth) and set(found.keys.values()) <= {X, Y, X + Y}
        assert len(found.keys) == len({upload.key for side in (a, b) for upload in side.uploads or ()})


@pytest.mark.parametrize("sign", [-1, 1])
def test_other_contents_stand_in_the_place_of_those_that_the_draw_changes(tmp_path: Path, sign: int) -> None:
    found = of(tmp_path, recording((X, 0), (Y, 0)), recording((X + Y, 0)))
    assert isinstance(found, UploadsOfBoth)
    places = {data: buffer for buffer, data in contents_of(found.uploaded.case).items()}
    other = (np.frombuffer(X, np.float32) + np.float32(sign * 0.5)).tobytes()
    drawn = with_contents(found.uploaded.case, contents_of(found.uploaded.case) | {places[X]: other}, found.uploaded.case.origin)
    keys = {data: key for key, data in found.keys.items()}
    assert found.others(drawn) == {keys[X]: other, keys[X + Y]: other + Y}
    assert found.others(found.uploaded.case) == {}


def test_equal_parts_in_places_that_change_apart_have_no_other_contents(tmp_path: Path) -> None:
    part, mixed = X[:128], X[:128] + Y
    a, b = recording((X, 0), (mixed, 0)), recording((X, 0), (mixed, 0), (part, 0))
    found = uploads_of_both(PARSED, *(counted(tmp_path, side, X, mixed, part) for side in (a, b)))
    assert isinstance(found, UploadsOfBoth)
    case = found.uploaded.case
    changed = {buffer: data[::-1] if data == X else data for buffer, data in contents_of(case).items()}
    assert found.others(with_contents(case, changed, case.origin)) is None


def test_contents_that_only_one_version_uploads_stay_as_they_are(tmp_path: Path) -> None:
    for a, b, version in ((recording((X, 0)), recording((X, 0), (Y, 0)), "B"), (recording((X, 0), (Y, 0)), recording((X, 0)), "A")):
        found = of(tmp_path, a, b)
        assert isinstance(found, UploadsOfBoth) and set(found.keys.values()) == set(found.uploaded.case.blobs.values()) == {X}
        assert [(one.version, one.size_bytes) for one in found.own] == [(version, len(Y))]
        assert found.own_of(version) == ("256 bytes" if version == "B" else "256 bytes (buffer 1)")
        assert found.own_of("A" if version == "B" else "B") is None


def test_nothing_can_be_varied_where_the_versions_upload_nothing_in_common(tmp_path: Path) -> None:
    found = of(tmp_path, recording(), recording((Y, 0)))
    assert isinstance(found, UploadsOfBoth) and found.own_of("B") == "256 bytes" and not list(draws(found.uploaded, 1))


def test_what_b_alone_uploads_behind_its_results_is_its_own(tmp_path: Path) -> None:
    found = of(tmp_path, recording((X, 0)), recording((X, 0), (Y, 3)))
    assert isinstance(found, UploadsOfBoth) and found.own_of("B") == "256 bytes"


def test_uploads_that_may_follow_from_results_are_each_versions_own(tmp_path: Path) -> None:
    first, longer = recording((X, 0), (Y, 1)), Y[:100] + X[:200]
    same = recording((X, 0), (X[:128] + Y[:128], 2))
    found = uploads_of_both(PARSED, counted(tmp_path, first, X, Y), counted(tmp_path, same, X, X[:128] + Y[:128]))
    assert isinstance(found, UploadsOfBoth) and set(found.uploaded.case.blobs.values()) == {X}
    later = counted(tmp_path, recording((X, 0), (longer, 1)), X, longer)
    assert uploads_of_both(PARSED, counted(tmp_path, first, X, Y), later) == LATER, "B uploads more behind its first results"
    early = recording((X, 0), (X[:128] + Y[:128], 0))
    found = uploads_of_both(PARSED, counted(tmp_path, first, X, Y), counted(tmp_path, early, X, X[:128] + Y[:128]))
    assert isinstance(found, UploadsOfBoth) and [one.version for one in found.own] == ["A", "B"]


def test_what_is_not_known_or_holds_addresses_is_not_compared(tmp_path: Path) -> None:
    known = recording((X, 0))
    unknown = "what the host copies to the device is not known"
    assert of(tmp_path, known, replace(known, uploads=None)) == unknown
    assert uploads_of_both(PARSED, counted(tmp_path, known, X), CountedRun((), (), (), None)) == unknown
    run = counted(tmp_path, known, X)
    assert run.run is not None
    for lacking in (replace(run.run, recording=None), replace(run.run, recording_path=None)):
        assert uploads_of_both(PARSED, run, replace(run, run=lacking)) == unknown
    assert of(tmp_path, recording(), recording()) == "nothing is copied to the device"
    addresses = recording((Y, 0), has_addresses=True)
    assert of(tmp_path, addresses, recording()) == "nothing is copied to the device"


def passed(*arguments: RecordedArgument) -> RecordedLaunch:
    return RecordedLaunch(0, "k(float const*, ns::Table const&, int)", CONFIG, arguments, (BufferState(0, "0" * 64, None),), "k.cu", 3)


def argument(hexadecimal: str, *pointers: tuple[int, int, int]) -> RecordedArgument:
    return RecordedArgument(len(hexadecimal) // 2, hexadecimal, tuple(PointerField(*pointer) for pointer in pointers))


def words(*arguments: RecordedArgument) -> set[str]:
    launched = replace(recording(), launches=(passed(*arguments),))
    return {word.hex() for word in new_arguments(recording(), launched)}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((argument("01000000"),), {"01000000"}),
        ((argument("0100000002000000"),), {"0100000002000000"}),
        ((argument("010000000200000003000000"),), {"01000000", "02000000", "03000000"}),
        ((argument("ff" * 8, (0, 5, 0)),), set[str]()),
        ((argument("ff" * 8 + "01000000", (0, 5, 0)),), {"01000000"}),
        ((argument("aa" * 8 + "01000000" + "02000000" + "bb" * 8, (0, 5, 0), (16, 6, 0)),), {"0100000002000000"}),
        ((argument("0100"),), {"0100"}),
    ],
)
def test_numbers_are_told_word_by_word_without_addresses(arguments: tuple[RecordedArgument, ...], found: set[str]) -> None:
    assert words(*arguments) == found


def test_only_numbers_that_a_does_not_pass_are_new() -> None:
    a, b = (replace(recording(), launches=(passed(*map(argument, given)),)) for given in (("01000000",), ("01000000", "02000000")))
    assert new_arguments(a, b) == {b"\x02\0\0\0"} and new_arguments(b, a) == frozenset()
    assert new_arguments(None, b) == new_arguments(a, None) == frozenset()


BUFFERS = (
    RecordedBuffer(0, 256, 0, None, "device", (), "float"),
    RecordedBuffer(1, 512, 0, None, "device", (), None),
    RecordedBuffer(2, 64, 0, "weights", "constant", (), "Point"),
    RecordedBuffer(3, 300, 0, None, "device", (), "no::Type"),
)
LAUNCH = passed(argument("00" * 8, (0, 0, 0)), argument("00" * 8 + "05000000", (0, 1, 0)), argument("05000000"))


def upload(buffer: int, offset: int = 0, element_type: str | None = None) -> Upload:
    return Upload("U", "0" * 64, 256, buffer, offset, has_addresses=False, transfer_count=0, element_type=element_type)


def test_uploads_are_named_after_what_kernels_call_them() -> None:
    memory = PassedMemory(replace(recording(buffers=BUFFERS), launches=(LAUNCH, LAUNCH)), PARSED)
    assert memory.most_places == 512, "of the unknown type each byte is a place"
    names = [memory.piece(each, X).name for each in (upload(0), upload(0, 4), upload(1), upload(2), upload(9))]
    assert names == ["x", "buffer 0", "t.rows", "weights", "buffer 9"]


@pytest.mark.parametrize(
    ("given", "element", "has_layout"),
    [
        (upload(0), "float", False),
        (upload(0, element_type="int"), "int", False),
        (upload(1), "float", False),
        (upload(2), None, True),
        (upload(2, 4), None, False),
        (upload(2, 8), None, True),
        (upload(3), None, False),
        (upload(9), "float", False),
    ],
)
def test_uploads_are_of_their_own_type_or_the_buffers_or_one_that_is_guessed(given: Upload, element: str | None, has_layout: bool) -> None:
    piece = PassedMemory(recording(buffers=BUFFERS), PARSED).piece(given, X)
    assert (None if piece.element is None else piece.element.name, piece.layout is not None) == (element, has_layout)
