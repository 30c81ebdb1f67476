"""What holds of the whole tree: no circle of imports, no long file, a layer for every part, a short page on the architecture."""

from __future__ import annotations

import tomllib
from graphlib import CycleError, TopologicalSorter
from typing import Any

import pytest

from tests.unit.import_graph import MODULES, ROOT, TOPS, imported, imported_by

MOST_LINES = 400
MOST_WORDS = 1300
WORKERS = {"assistant.device", "assistant.emulator", "assistant.recorder", "assistant.torch_worker", "assistant.worker"}
WORKERS_MAY_IMPORT = {
    f"assistant.{name}"
    for name in (
        "build",
        "cuda",
        "disk",
        "errors",
        "lazy",
        "measure",
        "model",
        "profile",
        "python_text",
        "record",
        "serialize",
        "verify",
        "workload",
    )
}
PARTS = {name for name in MODULES if name.count(".") == 1 and name.startswith("assistant.")}
"""Every module and package right below ``assistant``."""


def contracts() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]


def order(graph: dict[str, set[str]]) -> tuple[str, ...]:
    """Each module after what it imports. Raises CycleError."""
    return tuple(TopologicalSorter(graph).static_order())


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert len(order({name: imported(name) for name in MODULES})) == len(MODULES) > 900


def test_imports_in_functions_count_and_those_for_types_alone_do_not() -> None:
    in_function = "def load():\n    from assistant.engine import Session\n    from assistant import model\n    import lsp.units\n"
    assert imported_by(in_function) == {"assistant.engine.session", "assistant.model", "lsp.units"}
    assert imported_by("if TYPE_CHECKING:\n    from lsp.server import KernelOptServer\n") == set()
    with pytest.raises(CycleError):
        order({"lsp.server": {"lsp.units"}, "lsp.units": {"lsp.server"}})


def test_no_module_is_long() -> None:
    paths = (*MODULES.values(), *(ROOT / "tests").rglob("*.py"))
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in paths}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_every_part_is_in_a_layer() -> None:
    (layers,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers" and "containers" not in contract)
    named = [name for layer in layers for name in layer.split(" | ")]
    assert len(named) == len(set(named)) and set(named) == PARTS | set(TOPS) - {"assistant"}


def test_workers_stand_above_all_and_may_import_only_what_is_pure() -> None:
    """Nothing that stands in a lower layer may import what stands in a higher one."""
    layers = next(contract["layers"] for contract in contracts() if contract["type"] == "layers")
    assert {name for layer in layers[:2] for name in layer.split(" | ")} == WORKERS and layers[1] == "assistant.worker"
    (forbidden,) = (contract["forbidden_modules"] for contract in contracts() if set(contract.get("source_modules", ())) == WORKERS)
    assert set(forbidden) == (PARTS | set(TOPS) - {"assistant"}) - WORKERS - WORKERS_MAY_IMPORT


def test_the_page_on_the_architecture_is_short() -> None:
    words = (ROOT / "docs" / "architecture.md").read_text("utf-8").split()
    assert len(words) <= MOST_WORDS
