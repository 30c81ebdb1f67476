"""The language server's modules import each other in one direction: no circle, not even one for types alone."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import lsp

_ROOT = Path(lsp.__file__).parent
_FILES = {".".join(path.relative_to(_ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in _ROOT.rglob("*.py")}


def imported(text: str) -> set[str]:
    """Our modules that a text imports: anywhere in it, under ``TYPE_CHECKING`` and in functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names} & _FILES.keys()
            found |= names or {node.module}
    return found & _FILES.keys()


def order(graph: dict[str, set[str]]) -> tuple[str, ...]:
    """Each module after what it imports. Raises CycleError."""
    return tuple(TopologicalSorter(graph).static_order())


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: imported(path.read_text("utf-8")) for name, path in _FILES.items()}
    assert order(graph)[-1] in ("lsp.server", "lsp.serving")
    assert {name for name, others in graph.items() if "lsp.server" in others} == set()
    assert graph["lsp.server"] >= {"lsp.compose", "lsp.client"}


def test_imports_for_types_and_in_functions_count() -> None:
    for_types = "if TYPE_CHECKING:\n    from lsp.server import KernelOptServer\n"
    in_function = "def load():\n    from lsp import listing\n    import lsp.units\n"
    assert imported(for_types) == {"lsp.server"} and imported(in_function) == {"lsp.listing", "lsp.units"}
    with pytest.raises(CycleError):
        order({"lsp.server": {"lsp.units"}, "lsp.units": imported(for_types)})
