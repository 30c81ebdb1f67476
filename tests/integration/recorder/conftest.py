"""Builds that are recorded by a worker of their own, on a PATH without CUDA's compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROJECTS = ROOT / "tests" / "data" / "programs"
Record = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def plain_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with all programs of PATH, and those next to Python, but for nvcc."""
    folder = tmp_path_factory.mktemp("bin")
    for place in (*os.environ["PATH"].split(os.pathsep), str(Path(sys.executable).parent)):
        for file in sorted(Path(place).iterdir()) if Path(place).is_dir() else ():
            if file.name != "nvcc" and not (folder / file.name).is_symlink():
                (folder / file.name).symlink_to(file)
    return str(folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of one of the projects of ``tests/data/programs``."""
    return lambda name: Path(shutil.copytree(PROJECTS / name, tmp_path.resolve() / name))


@pytest.fixture
def record(tmp_path: Path, plain_path: str) -> Generator[Record]:
    """Has a command recorded in a folder; what the build generated lies in ``kept``."""
    worker: list[subprocess.Popen[str]] = []
    (tmp_path / "tmp").mkdir()
    (tmp_path / "kept").mkdir()

    def ask(folder: Path, *command: str, wall_s: float = 60.0, variables: Mapping[str, str] | None = None) -> dict[str, Any]:
        given = {"PATH": plain_path, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp"), "HOME": str(tmp_path)}
        words = (sys.executable, "-P", "-m", "assistant.recorder")
        environment = given | dict(variables or {})
        worker.append(subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        process = worker[-1]
        assert process.stdin is not None and process.stdout is not None
        place = str(folder)
        message = {"op": "record", "command": command, "folder": place, "workspace": place, "kept": str(tmp_path / "kept")}
        process.stdin.write(json.dumps(message | {"limits": {"wall_s": wall_s}}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    for process in worker:
        process.communicate()
    assert not list((tmp_path / "tmp").iterdir()), "the private copy is gone"
