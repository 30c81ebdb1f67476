"""The copy that a task works on: all that its program needs, and nothing through which the user's files could change."""

from __future__ import annotations

from pathlib import Path

from assistant.bench.private_copy import private_copy, sources_sha256
from assistant.config import find_workspace


def suite(folder: Path) -> Path:
    root = folder / "suite"
    (root / "deep").mkdir(parents=True)
    (root / "a.cu").write_text("int main() {}\n")
    (root / "deep" / "data.bin").write_bytes(b"\0" * 10)
    (root / ".hidden").mkdir()
    (root / "out").mkdir()
    (root / "out" / "rows.jsonl").write_text("{}\n")
    (folder / "shared.cuh").write_text("#pragma once\n")
    (root / "shared.cuh").symlink_to(folder / "shared.cuh")
    (root / "gone.cuh").symlink_to(folder / "gone.cuh")
    return root


def test_it_has_everything_but_hidden_files_and_results(tmp_path: Path) -> None:
    with private_copy(suite(tmp_path)) as copy:
        names = {path.relative_to(copy).as_posix() for path in copy.rglob("*")}
    assert names == {".git", "a.cu", "shared.cuh", "deep", "deep/data.bin"}
    assert not copy.exists()


def test_what_is_written_there_does_not_reach_the_users_files_through_links(tmp_path: Path) -> None:
    with private_copy(suite(tmp_path)) as copy:
        for path in (copy / "a.cu", copy / "shared.cuh", copy / "deep" / "data.bin"):
            path.write_text("edited")
    assert (tmp_path / "shared.cuh").read_text() == "#pragma once\n"
    assert (tmp_path / "suite" / "a.cu").read_text() == "int main() {}\n"


def test_it_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    with private_copy(suite(tmp_path)) as copy:
        assert find_workspace(copy / "deep" / "b.cu") == copy


def test_the_digest_is_of_sources_and_headers_and_their_names(tmp_path: Path) -> None:
    root = suite(tmp_path)
    before = sources_sha256(root)
    (root / "deep" / "data.bin").write_bytes(b"other")
    (root / "out" / "rows.jsonl").write_text("{}\n{}\n")
    assert sources_sha256(root) == before
    (root / "shared.cuh").write_text("#pragma once\n// edited\n")
    edited = sources_sha256(root)
    (root / "a.cu").rename(root / "b.cu")
    assert len({before, edited, sources_sha256(root)}) == 3
