"""Which files a source reaches by ``#include``."""

from __future__ import annotations

from pathlib import Path

from assistant.editor.headers import Headers


def _files(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.cuh").write_text(text)


def test_headers_of_headers_are_reached_through_the_first_one(tmp_path: Path) -> None:
    _files(tmp_path, b='#include "c.cuh"\n', c='#include "b.cuh"\n#include <vector>\n')
    routes = Headers().routes(tmp_path / "a.cu", '#include <cstdio>\n#include "b.cuh"\n')
    assert routes == {"cstdio": "cstdio", "b.cuh": "b.cuh", "c.cuh": "b.cuh", "vector": "b.cuh"}


def test_a_header_is_looked_for_next_to_the_one_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.cuh").write_text('#include "c.cuh"\n')
    (tmp_path / "inner" / "c.cuh").write_text('#include "d.cuh"\n')
    assert Headers().routes(tmp_path / "a.cu", '#include "inner/b.cuh"\n')["d.cuh"] == "b.cuh"


def test_the_disk_is_read_again_only_after_a_change_is_announced(tmp_path: Path) -> None:
    headers, text = Headers(), '#include "b.cuh"\n'
    _files(tmp_path, b="")
    assert set(headers.routes(tmp_path / "a.cu", text)) == {"b.cuh"}
    _files(tmp_path, b='#include "c.cuh"\n')
    assert set(headers.routes(tmp_path / "a.cu", text)) == {"b.cuh"}
    headers.forget()
    assert set(headers.routes(tmp_path / "a.cu", text)) == {"b.cuh", "c.cuh"}
    assert set(headers.routes(tmp_path / "a.cu", text + '#include "e.cuh"\n')) == {"b.cuh", "c.cuh", "e.cuh"}
