"""Makes kernelopt's wheel out of its packed texts, which is how the extension carries it.

The packed file is one line of JSON, ``[[name, bytes], ...]``, then all contents one after another. What can be computed is not in it: a
zip's own tables, and RECORD, whose checksums are random bytes that no compression makes smaller. Runs in the Python that the wheel is
installed into, of which nothing but the standard library is there.

Example::

    python -I make_wheel.py kernelopt-0.1.0.texts kernelopt-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

RECORD = "RECORD"


def make(packed: Path, wheel: Path) -> None:
    """Writes the wheel. Raises `ValueError` where the packed file is cut off."""
    rows: list[tuple[str, str, str]] = []
    with packed.open("rb") as texts, zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as made:
        for name, size_bytes in json.loads(texts.readline()):
            content = texts.read(size_bytes)
            if len(content) < size_bytes:
                raise ValueError(f"{packed} ends within {name}: install the extension again")
            made.writestr(name, content)
            rows.append((name, f"sha256={_digest(content)}", str(size_bytes)))
        made.writestr(*_record(rows))


def _record(rows: list[tuple[str, str, str]]) -> tuple[str, str]:
    """The wheel's list of its own files: where it stands, and its text (Python packaging's *Recording installed projects*)."""
    folder = next(name.rpartition("/")[0] for name, _, _ in rows if name.endswith(".dist-info/WHEEL"))
    place = f"{folder}/{RECORD}"
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*rows, (place, "", "")])
    return place, text.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
