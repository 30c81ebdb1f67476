"""Programs are built once and kept between test runs; the emulator is spoken to as its process would be."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.emulator.__main__ import Emulator
from tests.caches import kept_emulator

DATA = Path(__file__).parents[2] / "data"
CACHE = kept_emulator()

Build = Callable[..., Path]
Run = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    return Emulator(os.environ, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def build(emulator: Emulator) -> Build:
    def build_program(source: str, flavour: str = "counted", kernels: tuple[str, ...] = ()) -> Path:
        """The binary of a program of the test data; ``kernels`` empty: all of them."""
        path = DATA / source
        message = {
            "op": "build",
            "sources": [[str(path), path.read_text()]],
            "cache_dir": str(CACHE),
            "flavour": flavour,
            "kernels": list(kernels),
        }
        reply = emulator.reply(message)
        assert reply["binary"], reply
        return Path(reply["binary"])

    return build_program


@pytest.fixture
def run(emulator: Emulator, tmp_path: Path) -> Run:
    def run_program(binary: Path, *arguments: str, mode: str = "count", **fields: object) -> dict[str, Any]:
        message = {"op": "run", "binary": str(binary), "cwd": str(tmp_path), "args": list(arguments), "mode": mode, **fields}
        reply = emulator.reply(message)
        assert "failure" not in reply, reply
        return reply

    return run_program
