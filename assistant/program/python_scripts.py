"""Which Python files of a workspace can be started, and which of them come to import a module.

Example::

    scripts = Scripts(Path("/p"), read)
    scripts.importing("fused_ops")      # (Script(Path("/p/test_ops.py"), is_of_pytest=False),)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from assistant.disk.sources import source_files
from assistant.disk.texts import MOST_SOURCE_BYTES
from assistant.program.python_reading import parsed_python
from assistant.program.sources import ReadFile
from assistant.record import Record

__all__ = ["Script", "Scripts"]

_SUFFIX = ".py"
_MOST_FILES = 400
"""Python files of a workspace that are read, the nearest to its root (chosen: a second on a slow core)."""
_OF_PACKAGES = "__init__.py"
_NEVER_STARTED = frozenset({"setup.py", "conftest.py", "__init__.py", "noxfile.py"})
_WORK = (ast.For, ast.While, ast.With, ast.Assert)


class Script(Record):
    """A file that can be started."""

    path: Path
    is_of_pytest: bool
    """It holds tests for pytest and starts nothing by itself."""


class _Module(Record):
    path: Path
    imported: frozenset[str]
    """Dotted names, as absolute ones."""
    is_guarded: bool
    """It has ``if __name__ == "__main__"``."""
    does_work: bool
    """Importing it does more than to define."""
    has_tests: bool


class Scripts:
    """The Python files of a workspace."""

    def __init__(self, workspace: Path, read: ReadFile) -> None:
        self._workspace = workspace
        self._read = read

    @cached_property
    def texts(self) -> tuple[tuple[Path, str], ...]:
        """(file, text) of each."""
        files = source_files(self._workspace, frozenset({_SUFFIX}), MOST_SOURCE_BYTES)[:_MOST_FILES]
        return tuple((path, text) for path in files if (text := self._read(path)) is not None)

    @cached_property
    def _modules(self) -> tuple[_Module, ...]:
        parsed = ((path, parsed_python(text)) for path, text in self.texts)
        return tuple(_module(path, tree) for path, tree in parsed if tree is not None)

    def importing(self, name: str) -> tuple[Script, ...]:
        """Those that import a module, themselves or through others."""
        return self._started({each.path for each in self._modules if name in each.imported})

    def running(self, file: Path) -> tuple[Script, ...]:
        """The file itself where it does work, else those that import it."""
        return self._started({file})

    def _started(self, first: set[Path]) -> tuple[Script, ...]:
        reached, waiting = dict.fromkeys(first), list(first)
        imported = set[Path]()
        for path in waiting:
            users = [each.path for each in self._modules if each.path != path and each.imported & _names_of(path)]
            if users:
                imported.add(path)
            waiting.extend(user for user in users if user not in reached)
            reached.update(dict.fromkeys(users))
        return tuple(
            Script(each.path, each.has_tests and not each.is_guarded)
            for each in self._modules
            if each.path in reached and each.path.name not in _NEVER_STARTED
            if each.is_guarded or each.has_tests or (each.does_work and each.path not in imported)
        )


def _module(path: Path, tree: ast.Module) -> _Module:
    return _Module(
        path=path,
        imported=frozenset(_imported(tree, path)),
        is_guarded=any(isinstance(node, ast.If) and "__name__" in ast.dump(node.test) for node in tree.body),
        does_work=any(isinstance(node, _WORK) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) for node in tree.body),
        has_tests=_is_named_as_tests(path) and any(_is_test(node) for node in tree.body),
    )


def _is_named_as_tests(path: Path) -> bool:
    """As pytest finds them."""
    return path.name.startswith("test_") or path.stem.endswith("_test")


def _is_test(node: ast.stmt) -> bool:
    return (isinstance(node, ast.FunctionDef) and node.name.startswith("test")) or (
        isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    )


def _imported(tree: ast.Module, path: Path) -> Iterator[str]:
    package = _package_of(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name for alias in node.names for name in _prefixes(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join((*base, *([node.module] if node.module else [])))
            yield from _prefixes(start)
            yield from (f"{start}.{alias.name}" if start else alias.name for alias in node.names)


def _prefixes(name: str) -> Iterable[str]:
    """Importing ``a.b.c`` imports ``a`` and ``a.b``."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _package_of(path: Path) -> tuple[str, ...]:
    """The packages around a file, the outermost first."""
    names = list[str]()
    for folder in path.parents:
        if not (folder / _OF_PACKAGES).is_file():
            break
        names.insert(0, folder.name)
    return tuple(names)


def _names_of(path: Path) -> frozenset[str]:
    """What a file is imported as."""
    package = _package_of(path)
    own = package if path.name == _OF_PACKAGES else (*package, path.stem)
    return frozenset({".".join(own)})
