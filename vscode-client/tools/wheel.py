"""Builds kernelopt's wheel for the extension, into a folder that holds no other one.

Its entries are stored, not compressed: the whole is compressed after, which takes half of what its many small files take one by one.

Example::

    python tools/wheel.py build/server
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

__all__ = ["build"]

_SOURCE = Path(__file__).resolve().parents[2]
_DEADLINE_S = 300


def build(folder: Path) -> Path:
    """The wheel that was built. Raises with pip's own words where it could not be."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", made, str(_SOURCE))
        subprocess.run(command, check=True, timeout=_DEADLINE_S)
        (wheel,) = Path(made).glob("kernelopt-*.whl")
        return _stored(wheel, folder / wheel.name)


def _stored(wheel: Path, place: Path) -> Path:
    """The same entries, with the times of the original: uncompressed."""
    with zipfile.ZipFile(wheel) as compressed, zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as stored:
        for entry in sorted(compressed.infolist(), key=lambda entry: (Path(entry.filename).suffix, entry.filename)):
            plain = zipfile.ZipInfo(entry.filename, entry.date_time)
            plain.external_attr = entry.external_attr
            stored.writestr(plain, compressed.read(entry))
    return place


if __name__ == "__main__":
    build(Path(sys.argv[1]))
