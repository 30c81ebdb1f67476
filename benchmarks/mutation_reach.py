"""Which unit tests reach which lines of the engine: found by coverage with a context for each test, and kept in a file.

A test file is run again where it, a helper next to it or a module that it reaches has changed. Example::

    reach = read_reach(tree, cache, Path("assistant/engine"), environment, jobs=2)
    reach.tests_of("assistant/engine/judge/speed.py", (122,))      # those that run the line, then their files' others
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Reach", "read_reach"]

_TESTS = ("tests/unit", "tests/contracts")
"""As `make unit`."""


@dataclass(frozen=True)
class Reach:
    """By test, then by module: the lines that it runs."""

    lines: Mapping[str, Mapping[str, frozenset[int]]]

    def tests_of(self, module: str, lines: Sequence[int]) -> list[str]:
        """Those that run one of the lines (none named: any of the module's), then the others of their files, which may ask about what a
        fixture has computed in another's name. Those first that run least besides."""
        wanted = set(lines)
        reached = {test for test, found in self.lines.items() if module in found and (not wanted or wanted & found[module])}
        files = {_file(test) for test in reached}
        others = {test for test in self.lines if _file(test) in files} - reached
        return [*sorted(reached, key=self._size), *sorted(others, key=self._size)]

    def _size(self, test: str) -> tuple[int, str]:
        return sum(map(len, self.lines[test].values())), test


def read_reach(tree: Path, cache: Path, room: Path, environment: Mapping[str, str], jobs: int) -> Reach:
    """What is kept, and what runs of the test files that changed since add to it."""
    kept: dict[str, Any] = json.loads(cache.read_text("utf-8")) if cache.is_file() else {}
    keys = {str(path.relative_to(tree)): _key(path) for folder in _TESTS for path in sorted((tree / folder).rglob("test_*.py"))}
    modules = {str(path.relative_to(tree)): _digest(path) for path in (tree / room).rglob("*.py")}
    kept = {file: entry for file, entry in kept.items() if entry["key"] == keys.get(file) and _is_current(entry, modules)}
    new = [file for file in keys if file not in kept]
    if new:
        print(f"Finding out which lines the tests of {len(new)} files reach", flush=True)
        tests = _run(tree, new, room, environment, jobs)
        for file in new:
            own = {test: lines for test, lines in tests.items() if _file(test) == file}
            reached = {module for lines in own.values() for module in lines}
            kept[file] = {"key": keys[file], "modules": {module: modules[module] for module in sorted(reached)}, "tests": own}
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps(kept), "utf-8")
    return Reach(
        {
            test: {module: frozenset(numbers) for module, numbers in lines.items()}
            for entry in kept.values()
            for test, lines in entry["tests"].items()
        }
    )


def _is_current(entry: Mapping[str, Any], modules: Mapping[str, str]) -> bool:
    return all(modules.get(module) == digest for module, digest in entry["modules"].items())


def _run(tree: Path, files: Sequence[str], room: Path, environment: Mapping[str, str], jobs: int) -> dict[str, dict[str, list[int]]]:
    from coverage import CoverageData  # no dependency of ours: installed for this alone

    listed, found = tree / ".tests", tree / ".coverage"
    listed.write_text("\n".join(files), "utf-8")
    options = (
        "-q",
        "-n",
        str(jobs),
        f"--cov={room}",
        "--cov-context=test",
        "--cov-report=",
        "-W",
        "ignore::coverage.exceptions.CoverageWarning",
    )
    ran = subprocess.run(
        (sys.executable, "-m", "pytest", *options, f"@{listed}"), cwd=tree, env=environment, capture_output=True, text=True
    )
    if ran.returncode:
        raise SystemExit(f"unbroken, all tests must pass:\n{ran.stdout[-4000:]}{ran.stderr[-2000:]}")
    data = CoverageData(str(found))
    data.read()
    tests: dict[str, dict[str, list[int]]] = {}
    for path in data.measured_files():
        module = str(Path(path).relative_to(tree))
        for line, contexts in data.contexts_by_lineno(path).items():
            for test in {context.rpartition("|")[0] for context in contexts} - {""}:
                tests.setdefault(test, {}).setdefault(module, []).append(line)
    return tests


def _file(test: str) -> str:
    return test.partition("::")[0]


def _key(path: Path) -> str:
    """Changes with the file and with what it shares with those next to it."""
    helpers = sorted(other for other in path.parent.glob("*.py") if not other.name.startswith("test_"))
    return hashlib.sha256("".join(map(_digest, (path, *helpers))).encode()).hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
