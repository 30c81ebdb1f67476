"""A wheel that is packed for the extension, and made again where it is installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import runpy
import zipfile
from pathlib import Path

import pytest

_CLIENT = Path(__file__).parents[3] / "vscode-client"
pack = runpy.run_path(str(_CLIENT / "tools" / "wheel.py"))["pack"]
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
