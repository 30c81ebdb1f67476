"""What others use of the engine they import from its rooms, not from the rooms' modules."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from tests.unit.import_graph import HOMES, ROOT

ENGINE = ROOT / "assistant" / "engine"
USERS = ("assistant", "lsp", "jupyter_ext", "kernelopt", "benchmarks")
ROOMS = {path.parent.name for path in ENGINE.glob("*/__init__.py")}


def imports(path: Path) -> list[str]:
    """Of the engine's modules; most texts name none, and are not parsed."""
    text = path.read_text("utf-8")
    nodes = ast.walk(ast.parse(text)) if "assistant.engine." in text else ()
    return [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


@pytest.mark.parametrize("folder", USERS)
def test_nothing_reaches_past_a_public_face(folder: str) -> None:
    reached: list[str] = []
    for path in (ROOT / folder).rglob("*.py"):
        own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        is_engine = own.startswith("assistant.engine.")
        for module in imports(path):
            names = module.removeprefix("assistant.engine").split(".")[1:]
            if not module.startswith("assistant.engine.") or own.startswith(f"assistant.engine.{names[0]}."):
                continue
            if len(names) > 1 or (names[0] not in ROOMS and not is_engine):
                reached.append(f"{path.relative_to(ROOT)}: {module}")
    assert not reached


def test_every_public_name_is_there_when_it_is_asked_for() -> None:
    for (package, name), home in HOMES.items():
        if name is not None:
            assert getattr(import_module(package), name) is getattr(import_module(str(home)), name), f"{package}.{name}"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = import_module("assistant.engine").nothing


def test_no_public_name_is_that_of_a_module_next_to_it() -> None:
    """Python would give the module instead, once something has imported it."""
    for (package, name), home in HOMES.items():
        if home == package:
            continue  # that module is what is meant
        folder = ROOT.joinpath(*package.split("."))
        assert not (folder / f"{name}.py").exists() and not (folder / str(name)).is_dir(), f"{package}.{name}"
