"""What travels: files by names below a folder, and a digest by which the same work is the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cluster.work import Done, Place, Refused, Reply, WorkFile, WorkItem, digest_of, files_below, write_files
from assistant.errors import UsageError
from assistant.serialize import dumps, loads

ITEM = WorkItem("judge", "{}", (WorkFile("program/a.cu", b"\0\xff"),))


def test_the_digest_is_of_content_build_and_device() -> None:
    digest = digest_of(ITEM, "1", "cpu")
    assert digest == digest_of(loads(WorkItem, dumps(ITEM)), "1", "cpu")
    others = (digest_of(replace(ITEM, about="[]"), "1", "cpu"), digest_of(ITEM, "2", "cpu"), digest_of(ITEM, "1", "NVIDIA H200"))
    assert len({digest, *others}) == 4


def test_files_come_back_as_they_were(tmp_path: Path) -> None:
    write_files(tmp_path / "a", (*ITEM.files, WorkFile("b.cu", b"b")))
    found = files_below(tmp_path / "a", lambda path: path.name != "b.cu")
    assert found == ITEM.files


@pytest.mark.parametrize("name", ["../out.cu", "/etc/out.cu", "a/../../out.cu", ""])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        write_files(tmp_path / "a", (WorkFile(name, b""),))
    assert not (tmp_path / "out.cu").exists()


def test_too_much_is_not_sent(tmp_path: Path) -> None:
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(UsageError, match="more than 64 MiB"):
        files_below(tmp_path)


def test_replies_are_told_apart() -> None:
    for reply in (Done("1", Place("w", 1, "b", "cpu"), 0.5), Refused("no", "do")):
        assert loads(Reply, dumps(reply)) == reply
