"""A wheel that is packed for the extension, and made again where it is installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import runpy
import zipfile
from pathlib import Path
from typing import Any

import pytest

_CLIENT = Path(__file__).parents[3] / "vscode-client"
wheel_tool = runpy.run_path(str(_CLIENT / "tools" / "wheel.py"))
pack, undocumented = wheel_tool["pack"], wheel_tool["undocumented"]
make = runpy.run_path(str(_CLIENT / "python" / "make_wheel.py"))["make"]

_INFO = "thing-1.0.dist-info"
_CONTENTS = {
    "thing/b.py": b"VALUE = 1\n",
    "thing/a, b.txt": "a name with a comma, and µs\n".encode(),
    "thing/empty.py": b"",
    f"{_INFO}/WHEEL": b"Wheel-Version: 1.0\n",
    f"{_INFO}/RECORD": b"what a builder wrote",
}


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "built.whl", "w") as wheel:
        for name, content in _CONTENTS.items():
            wheel.writestr(name, content)
    pack(tmp_path / "built.whl", tmp_path / "texts")
    return tmp_path / "texts"


def test_all_files_come_back_and_the_record_names_each(packed: Path) -> None:
    make(packed, packed.with_name("made.whl"))
    with zipfile.ZipFile(packed.with_name("made.whl")) as wheel:
        assert {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("RECORD")} == {
            name: content for name, content in _CONTENTS.items() if not name.endswith("RECORD")
        }
        rows = {name: (digest, size) for name, digest, size in csv.reader(wheel.read(f"{_INFO}/RECORD").decode().splitlines())}
    assert rows.pop(f"{_INFO}/RECORD") == ("", "")
    for name, (digest, size) in rows.items():
        content = _CONTENTS[name]
        checksum = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={checksum}", len(content))
    assert set(rows) == set(_CONTENTS) - {f"{_INFO}/RECORD"}


def test_no_checksum_is_packed(packed: Path) -> None:
    assert b"what a builder wrote" not in packed.read_bytes()


def test_a_packed_file_that_is_cut_off_is_refused(packed: Path) -> None:
    packed.write_bytes(packed.read_bytes()[:-3])
    with pytest.raises(ValueError, match="ends within"):
        make(packed, packed.with_name("made.whl"))


_DOCUMENTED = '''"""A module."""

from __future__ import annotations

LIMIT = 3
"""Pieces."""


class Thing:
    """What a schema says."""

    size: int = 1
    """Bytes."""

    def only_said(self) -> None:
        """Nothing else
        stands here.
        """

    def text(self) -> str:
        """Says it."""
        kept = """
        not a docstring"""
        return kept


def fails() -> None:
    """Fails."""
    if LIMIT:
        raise ValueError("line 29")
'''


def test_documentation_is_not_packed_but_for_that_of_classes() -> None:
    code = undocumented(_DOCUMENTED)
    assert [said for said in ("A module", "Pieces", "Bytes", "Nothing else", "Says it", "Fails.") if said in code] == []
    assert "What a schema says." in code
    assert "not a docstring" in code


def test_code_without_documentation_does_the_same_on_the_same_lines() -> None:
    space: dict[str, Any] = {}
    exec(compile(undocumented(_DOCUMENTED), "thing.py", "exec"), space)
    assert space["Thing"]().only_said() is None
    assert space["Thing"]().text() == "\n        not a docstring"
    with pytest.raises(ValueError, match="line 29") as raised:
        space["fails"]()
    assert raised.traceback[-1].lineno + 1 == _DOCUMENTED.splitlines().index('        raise ValueError("line 29")') + 1
    assert len(undocumented(_DOCUMENTED).splitlines()) == len(_DOCUMENTED.splitlines())


def test_documentation_that_is_shown_is_packed(tmp_path: Path) -> None:
    said = b'def profile():\n    """Measures a program."""\n'
    with zipfile.ZipFile(tmp_path / "built.whl", "w") as wheel:
        for name in ("assistant/cli/app.py", "assistant/mcp/server.py", "assistant/plan/rules.py"):
            wheel.writestr(name, said)
    pack(tmp_path / "built.whl", tmp_path / "texts")
    assert (tmp_path / "texts").read_bytes().count(b"Measures a program.") == 2
