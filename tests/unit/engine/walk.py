"""The way of one `optimize` through the engine's modules: who calls whom whenever the lab, memory or the person is reached.

``python -m tests.unit.engine.walk`` writes it to docs/reference/walk.md; `test_walk` holds the page to it.
"""

from __future__ import annotations

import ast
import asyncio
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from assistant.engine.request import JobRequest
from assistant.ports.lab import Lab
from assistant.ports.store import Store
from tests.contracts.fake_lab import FakeLab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.searches import NAIVE, RIGHT, RejectFirst, TwoEdits, search
from tests.unit.engine.test_search import CONFIG, KERNELS, QUICK

__all__ = ["PAGE", "Walk", "page", "walked"]

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reference" / "walk.md"
_ENGINE = "assistant.engine."
_FIRST = "session"
"""What front ends talk to."""
_HEAD = """\
# One `optimize`, hop by hop

Generated from a search on a lab of the tests; do not edit (`python -m tests.unit.engine.walk`). Whenever the search reached the lab,
memory or the person, the modules on the call stack were noted: each line says which module of `assistant/engine` calls which others on
the way there. What the stages do in order: [architecture](../architecture.md).

| module | what it is about | calls next |
|---|---|---|
"""

Walk = Mapping[str, frozenset[str]]
"""Module below ``assistant.engine`` → those that it calls."""


class _Watched:
    """A port whose every use is noted."""

    def __init__(self, port: object, calls: dict[str, set[str]]) -> None:
        self._port = port
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._port, name)
        if not callable(value):
            return value

        def noted(*arguments: Any, **options: Any) -> Any:
            _note_stack(self._calls)
            return value(*arguments, **options)

        return noted


def _note_stack(calls: dict[str, set[str]]) -> None:
    frame, called = sys._getframe(2), ""
    while frame is not None:
        name = str(frame.f_globals["__name__"])
        if name.startswith(_ENGINE) and name != called:
            if called:
                calls[name].add(called.removeprefix(_ENGINE))
            called = name
        frame = frame.f_back


async def walked(folder: Path) -> Walk:
    """Of a search in ``folder`` that tries two edits, is rejected once, and offers the next best."""
    (folder / "turn.cu").write_text(f"{QUICK}\n{NAIVE}\n")
    calls, store = defaultdict[str, set[str]](set), FakeStore()

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        return cast("Lab", _Watched(FakeLab(scratch, KERNELS, target=target), calls))

    planner = TwoEdits(RIGHT.replace("[33]", "[34]"))
    await search(folder, planner, False, open_lab, lambda _: cast("Store", _Watched(store, calls)), RejectFirst())
    return {name.removeprefix(_ENGINE): frozenset(called) for name, called in calls.items()}


def page(walk: Walk) -> str:
    """As a table, each module after the one that first calls it."""
    order, waiting = list[str](), [_FIRST]
    while waiting:
        module = waiting.pop(0)
        order.append(module)
        new = sorted(name for name in walk[module] if name in walk and name not in (*order, *waiting))
        waiting[:0] = new
    rows = (f"| {_code(name)} | {_about(name)} | {', '.join(map(_code, sorted(walk[name])))} |\n" for name in order)
    return _HEAD + "".join(rows)


def _code(name: str) -> str:
    return f"`{_path(name)}`"


def _path(name: str) -> str:
    return name.replace(".", "/") + ".py"


def _about(name: str) -> str:
    text = ast.get_docstring(ast.parse((ROOT / "assistant" / "engine" / _path(name)).read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].removesuffix(".").replace("``", "`").replace("|", "\\|")


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / "config.toml").write_text(CONFIG)
        os.environ["KERNELOPT_HOME"] = str(home)
        PAGE.write_text(page(asyncio.run(walked(Path(folder)))), "utf-8")


if __name__ == "__main__":
    _write()
