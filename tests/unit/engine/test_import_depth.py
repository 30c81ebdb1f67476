"""How many modules of the engine stand on each other: values below, stages above, callers put stages together."""

from __future__ import annotations

from graphlib import TopologicalSorter

from tests.unit.import_graph import MODULES, imported

MOST_FLOORS = 8
ENGINE = {name for name, path in MODULES.items() if name.startswith("assistant.engine.") and path.name != "__init__.py"}


def test_few_modules_stand_on_each_other() -> None:
    imports = {name: imported(name) & ENGINE for name in ENGINE}
    chains: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(imports).static_order():
        chains[name] = (name, *max((chains[other] for other in imports[name]), key=len, default=()))
    longest = max(chains.values(), key=len)
    assert len(longest) <= MOST_FLOORS, f"{len(longest)} floors: {' → '.join(longest)}"
