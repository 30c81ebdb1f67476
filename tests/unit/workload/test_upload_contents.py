"""Contents that one program uploads whole and another one in pieces are the same."""

from __future__ import annotations

from assistant.model.recording import Upload
from assistant.workload.recordings import blob_name
from assistant.workload.upload_contents import ProgramUploads, has_other_contents


def uploaded(*pieces: tuple[int, bytes]) -> ProgramUploads:
    contents = {blob_name(data): data for _, data in pieces}
    uploads = tuple(Upload("k", blob_name(data), len(data), 0, offset, False, 0) for offset, data in pieces)
    return ProgramUploads(uploads, contents.__getitem__)


def test_pieces_of_an_array_are_the_array_and_the_other_way_round() -> None:
    whole, pieces = uploaded((0, b"abcdef")), uploaded((0, b"abc"), (3, b"def"))
    assert not has_other_contents(whole, pieces) and not has_other_contents(pieces, whole)


def test_each_frame_s_pieces_are_that_frame() -> None:
    frames = uploaded((0, b"abcdef"), (0, b"ghijkl"))
    assert not has_other_contents(frames, uploaded((0, b"abc"), (3, b"def"), (0, b"ghi"), (3, b"jkl")))


def test_other_bytes_more_of_them_and_another_order_are_other_contents() -> None:
    whole = uploaded((0, b"abcdef"))
    for other in (uploaded((0, b"abc"), (3, b"deX")), uploaded((0, b"abcdef"), (0, b"abcdef")), uploaded((0, b"def"), (3, b"abc"))):
        assert has_other_contents(whole, other)
