"""How a test process finds its tests in less time: a worker of several imports another share of the files first than the others do.

pytest compiles each test file, its asserts written out, and keeps that next to it. On a fresh tree, workers that all begin with the first
file compile every file at the same time; so each begins elsewhere, and finds most of the others' files compiled when it comes to them.
Nothing is collected here: what fails to be imported is imported again by pytest, which says so.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from _pytest.python import importtestmodule  # as pytest itself does when it comes to the file
from hypothesis.internal.conjecture import providers

__all__ = ["draw_no_constants_of_ours", "files_with_tests", "import_own_share_first", "no_garbage_collection", "rotated"]


def draw_no_constants_of_ours() -> None:
    """Have hypothesis leave out the constants of our own modules, one in twenty of the values that it draws.

    Every process would parse all that it has imported for them: 8 s of a processor for each worker on a fresh tree.
    """
    providers.is_local_module_file = lambda path: False


@contextmanager
def no_garbage_collection() -> Generator[None]:
    """What is imported and collected stays: looking for garbage in it took a quarter of the time, and again in every test."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def import_own_share_first(config: pytest.Config) -> None:
    """In a worker of several, import all test files, those of its own share first."""
    worker: dict[str, object] | None = getattr(config, "workerinput", None)
    if worker is None:
        return
    number, count = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    folders = [Path(argument) for argument in config.args]
    for path in rotated(files_with_tests(folders, config.getini("norecursedirs")), number % count, count):
        try:
            importtestmodule(path, config)
        except (Exception, pytest.skip.Exception):  # noqa: BLE001 - pytest imports it again, and says what is wrong
            for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == str(path)]:
                del sys.modules[name]


def files_with_tests(folders: Sequence[Path], left_out: Sequence[str]) -> list[Path]:
    """Those that pytest finds in ``folders``; files that are named one by one are not worth it. ``left_out``: patterns of folder names."""
    found = [(folder, path) for folder in folders if folder.is_dir() for path in sorted(folder.resolve().rglob("test_*.py"))]
    return [
        path
        for folder, path in found
        if not any(above.match(pattern) for above in map(Path, path.relative_to(folder.resolve()).parts[:-1]) for pattern in left_out)
    ]


def rotated(paths: Sequence[Path], number: int, count: int) -> list[Path]:
    """All of them, from where the share ``number`` of ``count`` begins."""
    begin = len(paths) * number // count
    return [*paths[begin:], *paths[:begin]]
