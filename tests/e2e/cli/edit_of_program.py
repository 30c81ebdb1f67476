"""An honest edit of a project: what is asked about, what a language model answers, and what the files hold afterwards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.cli.harness import DATA

__all__ = ["Edit", "NewLaunch"]


@dataclass(frozen=True)
class NewLaunch:
    """One launch of the kernel, as it becomes."""

    file: str
    """Which holds it."""
    place: str
    """Text of its line."""
    old_grid: str
    grid: str
    old_block: str
    block: str


@dataclass(frozen=True)
class Edit:
    """What is asked about, and what comes of it."""

    project: str
    asked: str
    """The file that holds the kernel."""
    begin: str
    """Of the kernel's definition."""
    kernel: str
    """Its new text; empty where only launches change."""
    technique: str
    launches: tuple[NewLaunch, ...] = ()
    more_to_do: tuple[tuple[str, str, str], ...] = ()
    """(file, text, text that stands for it)."""
    arguments: tuple[str, ...] = ()
    """Of the program, for more to do."""
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands of ours that find the program first."""
    builds: tuple[tuple[str, ...], ...] = ()
    """The project's own build, where it has one."""
    selector: str = ""
    """The kernel, where the file has several."""
    written: tuple[tuple[str, str], ...] = ()
    """(file, text) of further files: declared launches of what no program of ours starts."""

    def copy_to(self, folder: Path) -> None:
        """The project, with enough to do."""
        shutil.copytree(DATA / "programs" / self.project, folder)
        (folder / "kernelopt.toml").touch()
        for file, old, new in self.more_to_do:
            _replace(folder / file, old, new)
        for file, text in self.written:
            (folder / file).write_text(text)

    def expected(self, folder: Path) -> Mapping[str, bytes]:
        """The changed files of an unchanged copy in ``folder``, by name, with the edit in them."""
        texts: dict[str, str] = {}

        def change(file: str, old: str, new: str) -> None:
            text = texts.setdefault(file, _text(folder / file))
            assert text.count(old) == 1, f"{text.count(old)} times in {file}: {old}"
            texts[file] = text.replace(old, new)

        if self.kernel:
            old = self._old_kernel(folder)
            change(self.asked, old, self.kernel.replace("\n", "\r\n") if "\r\n" in old else self.kernel)
        for launch in self.launches:
            new = launch.place.replace(launch.old_grid, launch.grid, 1) if launch.grid else launch.place
            head, mark, tail = new.partition(">>>")
            before, _, after = head.rpartition(launch.old_block)
            change(launch.file, launch.place, f"{before}{launch.block or launch.old_block}{after}{mark}{tail}")
        return {file: _bytes(text) for file, text in texts.items()}

    def answer(self, folder: Path) -> str:
        """The model's, as JSON."""
        launches = [
            {
                "file": None if launch.file == self.asked else launch.file,
                "line": _line_of(_text(folder / launch.file), launch.place),
                "grid": launch.grid or None,
                "block": launch.block or None,
                "shared": None,
                "arguments": None,
            }
            for launch in self.launches
        ]
        code = _bytes(self.kernel).decode("latin-1")
        parts = [{"part": "kernel", "code": code}] if code else []
        return json.dumps(
            {"summary": "Do it better.", "parts": parts, "launches": launches, "includes": [], "assumptions": [], "risks": []}
        )

    def line(self, folder: Path) -> int:
        """Of the kernel."""
        return _line_of(_text(folder / self.asked), self.begin)

    def _old_kernel(self, folder: Path) -> str:
        text = _text(folder / self.asked)
        start = text.index(self.begin)
        return text[start : text.index("\n}", start) + 2]


def _text(path: Path) -> str:
    """Any encoding, byte for byte."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _line_of(text: str, place: str) -> int:
    return text[: text.index(place)].count("\n") + 1


def _replace(path: Path, old: str, new: str) -> None:
    text = _text(path)
    assert old in text, f"{path.name} has no {old}"
    path.write_bytes(_bytes(text.replace(old, new)))
