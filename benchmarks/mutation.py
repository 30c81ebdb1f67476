"""Breaks the engine in ways drawn at random, one at a time: do the tests of `make unit` notice?

``pip install --group mutation``, then ``python -m benchmarks.mutation --seed 5501 --count 64``. Breaks are made in copies of the tree,
never in it. Each is tried on the unit tests that reach the broken statement, those that reach least of the engine first. Which tests reach
what is found by running them once under coverage, and kept below ``.kernelopt/mutation``; only what changed is run again. What survives is
printed, and the share that is noticed with its 95 % interval. Some of what survives changes nothing that anybody could notice: that is for
a reader to tell.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation_breaks import Break, breaks_of, broken_text
from benchmarks.mutation_reach import Reach, read_reach
from benchmarks.mutation_server import ENDED_BY_LIMIT

ROOT = Path(__file__).parents[1]
ROOM = Path("assistant/engine")
_NOT_COPIED = (".git", ".venv", ".kernelopt", "node_modules", "__pycache__", ".hypothesis", ".*_cache")
_Z = 1.96


@dataclass(frozen=True)
class Drawn:
    """A break of one of the engine's modules."""

    module: Path
    """Below the root."""
    place: Break

    def __str__(self) -> str:
        return f"{self.module}:{self.place.lines[0]}: {' '.join(self.place.what.split())}"


@dataclass(frozen=True)
class Tried:
    """What the tests said of it."""

    drawn: Drawn
    noticed_by: str | None
    """A test; None: it survived."""
    why_not: str = ""


def draw(seed: int, count: int) -> list[Drawn]:
    """``count`` breaks: statements of the engine, each as likely as any other, and of each one of its breaks."""
    modules = sorted(path.relative_to(ROOT) for path in (ROOT / ROOM).rglob("*.py") if path.name != "__init__.py")
    choices = [(module, breaks) for module in modules for breaks in breaks_of((ROOT / module).read_text("utf-8"))]
    drawn = random.Random(seed)
    return [Drawn(module, drawn.choice(breaks)) for module, breaks in drawn.sample(choices, count)]


class Tree:
    """A copy of the tree, in which one break at a time is made and tested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made = 0
        command = (sys.executable, "-m", "benchmarks.mutation_server")
        self._server = subprocess.Popen(
            command, cwd=folder, env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        self._server.communicate()

    def try_break(self, drawn: Drawn, reach: Reach, limit_s: int) -> Tried:
        """Whether a test notices it. A test that fails without the break, too, has noticed nothing, and is left out."""
        tests = reach.tests_of(str(drawn.module), drawn.place.lines if drawn.place.is_in_function else ())
        if not tests:
            return Tried(drawn, None, "no unit test reaches it")
        while tests:
            with self._broken(drawn):
                code, failed = self._run(tests, limit_s)
            if code == 0:
                return Tried(drawn, None, f"{len(tests)} tests pass")
            if code == ENDED_BY_LIMIT:
                return Tried(drawn, None, f"none of {len(tests)} tests failed within the limit")
            if failed is None:
                return Tried(drawn, "all: pytest itself ends otherwise")
            if self._run([failed], limit_s)[0] == 0:
                return Tried(drawn, failed)
            tests = [test for test in tests if test != failed]
        return Tried(drawn, None, "only tests that fail without it, too")

    @contextmanager
    def _broken(self, drawn: Drawn) -> Generator[None]:
        path = self.folder / drawn.module
        whole, times = path.read_text("utf-8"), path.stat()
        self._made += 1
        path.write_text(broken_text(whole, drawn.place), "utf-8")
        os.utime(path, (self._made, self._made))  # what was compiled of another break is not taken for this one's
        try:
            yield
        finally:
            path.write_text(whole, "utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _run(self, tests: list[str], limit_s: int) -> tuple[int, str | None]:
        """pytest's exit code, and the first test that failed."""
        listed = self.folder / ".tests"
        listed.write_text("\n".join(tests), "utf-8")
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps({"tests": str(listed), "limit_s": limit_s}) + "\n")
        self._server.stdin.flush()
        said = json.loads(self._server.stdout.readline())
        return said["code"], said["failed"]


def environment(tree: Path) -> dict[str, str]:
    """The copy's modules go before the installed ones."""
    return {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "HOME": str(tree)}


def copy_to(tree: Path) -> None:
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*_NOT_COPIED), symlinks=True)


def interval(count: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (E. B. Wilson, JASA 22, 1927)."""
    share, squared = count / total, _Z * _Z
    middle = (share + squared / (2 * total)) / (1 + squared / total)
    half = _Z * math.sqrt(share * (1 - share) / total + squared / (4 * total * total)) / (1 + squared / total)
    return middle - half, middle + half


def main() -> None:
    parser = argparse.ArgumentParser(description="Break the engine at random; do the unit tests notice?")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=100, help="seconds of processor time for each break")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        copies = [Path(folder) / str(number) for number in range(chosen.jobs)]
        for copy in copies:
            copy_to(copy)
        reach = read_reach(copies[0], ROOT / ".kernelopt" / "mutation" / "reach.json", ROOM, environment(copies[0]), chosen.jobs)
        free: queue.SimpleQueue[Tree] = queue.SimpleQueue()
        for copy in copies:
            free.put(opened.enter_context(closing(Tree(copy))))

        def try_one(drawn: Drawn) -> Tried:
            tree = free.get()
            try:
                tried = tree.try_break(drawn, reach, chosen.limit)
            finally:
                free.put(tree)
            print(f"noticed  {drawn}  by {tried.noticed_by}" if tried.noticed_by else f"SURVIVED {drawn}  {tried.why_not}", flush=True)
            return tried

        with ThreadPoolExecutor(chosen.jobs) as pool:
            tried = list(pool.map(try_one, draw(chosen.seed, chosen.count)))
    left = [one for one in tried if one.noticed_by is None]
    count, total = len(tried) - len(left), len(tried)
    low, high = interval(count, total)
    print("\nSurvivors:", *(f"{one.drawn}  ({one.why_not})" for one in left), sep="\n")
    print(f"\nseed {chosen.seed}: {count} of {total} noticed, {count / total:.0%} ({low:.0%} to {high:.0%})")


if __name__ == "__main__":
    main()
