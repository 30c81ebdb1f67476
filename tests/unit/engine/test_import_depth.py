"""How many modules of the engine stand on each other: values below, stages above, callers put stages together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import assistant.engine

ENGINE = Path(assistant.engine.__file__).parent
MOST_FLOORS = 8
MOST_LINES = 400


def module_name(path: Path) -> str:
    return ".".join((ENGINE.parent.name, *path.relative_to(ENGINE.parent).with_suffix("").parts))


FACES = {module_name(path.parent): path for path in ENGINE.rglob("__init__.py")}
MODULES = {module_name(path): path for path in ENGINE.rglob("*.py") if path.name != "__init__.py"}
HOMES = {
    (package, alias.asname): node.module
    for package, path in FACES.items()
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
"""(package, public name) → the module that it comes from."""


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below ``node`` but those that only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from run_nodes(child)


def imported(name: str) -> set[str]:
    """Modules of the engine that a module imports, at its beginning or within a function."""
    found: set[str] = set()
    for node in run_nodes(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [alias.name for alias in node.names]
            found |= {node.module, *(HOMES.get((node.module, name)) or f"{node.module}.{name}" for name in names)}
    return found & MODULES.keys()


def test_few_modules_stand_on_each_other() -> None:
    imports = {name: imported(name) for name in MODULES}
    chains: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(imports).static_order():  # raises where imports go round in a circle
        chains[name] = (name, *max((chains[other] for other in imports[name]), key=len, default=()))
    longest = max(chains.values(), key=len)
    assert len(longest) <= MOST_FLOORS, f"{len(longest)} floors: {' → '.join(longest)}"


def test_no_module_is_long() -> None:
    long = {name for name, path in MODULES.items() if len(path.read_text("utf-8").splitlines()) > MOST_LINES}
    assert not long
