"""Projects in a folder of their own, and what is found in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.disk.texts import read_bytes
from assistant.model.program import FoundProgram, ProgramSearch
from assistant.program import find_programs

PROJECTS = Path(__file__).parents[2] / "data" / "programs"


class Project:
    """A workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read_paths: list[Path] = []
        self.unsaved: dict[Path, str] = {}

    def write(self, **texts: str) -> Project:
        """Files by name; ``__`` stands for ``/`` and a last ``_`` for the dot of the suffix: ``src__a_cu``."""
        for name, text in texts.items():
            stem, _, suffix = name.replace("__", "/").rpartition("_")
            self.put(f"{stem}.{suffix}", text)
        return self

    def put(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, path: Path) -> str | None:
        self.read_paths.append(path)
        if path in self.unsaved:
            return self.unsaved[path]
        try:
            return read_bytes(path, 16 << 20).decode("utf-8", "surrogateescape")
        except OSError:
            return None

    def find(self, file: str, *further: str, flags: tuple[str, ...] = ()) -> ProgramSearch:
        return find_programs(self.root / file, tuple(self.root / name for name in further), self.read, self.root, flags)

    def one(self, file: str, *further: str, flags: tuple[str, ...] = ()) -> FoundProgram:
        """The only program of a file."""
        (program,) = self.find(file, *further, flags=flags).found
        return program

    def units(self, file: str, *further: str, flags: tuple[str, ...] = ()) -> list[list[str]]:
        """The units of each program of a file, relative to the workspace."""
        return [[str(unit.relative_to(self.root)) for unit in each.units] for each in self.find(file, *further, flags=flags).found]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return Project(root)


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Project]:
    """A copy of one of the projects of ``tests/data/programs``."""

    def copy(name: str) -> Project:
        return Project(Path(shutil.copytree(PROJECTS / name, tmp_path.resolve() / name)))

    return copy
