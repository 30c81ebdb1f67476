"""What is said of orders of candidates, from tables whose best order is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.memory import open_store
from assistant.training.table import ProgramTables, Tables
from benchmarks.orders import report
from tests.unit.training.toys import toy


def kept(out: Path, count: int, family: str) -> list[str]:
    """Programs with a kernel each, where nothing was remembered; the last one did not come to its end."""
    names: list[str] = []
    for number in range(count):
        table = replace(toy(number), program=f"toy/{number}", family=family)
        failure = "not searched within 180 s" if number == count - 1 else ""
        Tables(out / "tables").add(ProgramTables(table.program, (table,), failure, 1.0))
        names.append(table.program)
    return names


def test_a_memory_that_knows_nothing_saves_nothing_and_the_best_order_all(tmp_path: Path) -> None:
    """The promise favours one of three that gains nothing, so that the best comes second or third."""
    names = kept(tmp_path, 24, "row reduction")
    (tmp_path / "memory").mkdir()
    open_store(tmp_path / "memory" / "toy-0.sqlite3").close()
    lines = report(tmp_path, names)
    assert lines[:2] == ["24 kernels with something to find, of 24 programs", "  not to its end: toy/23: not searched within 180 s"]
    grown = [line for line in lines if line.startswith("  a growing memory saves")]
    assert len(grown) == 3 and all(line.startswith("  a growing memory saves 0% [0%, 0%] against no memory: fewer on 0") for line in grown)
    (alone,) = {line for line in lines if line.startswith("all: ")}
    assert "24 kernels in 5 orders" in alone and "best order 1.00" in alone and "no memory 1.00" not in alone
    assert sum(line.startswith("  policy saves") for line in lines) == 8, "against four orders, on all kernels and on those with a choice"


def test_without_what_the_searches_remembered_nothing_is_said_of_memory(tmp_path: Path) -> None:
    lines = report(tmp_path, kept(tmp_path, 3, "row reduction"))
    assert lines[-1] == "what the searches wrote into their memories is not there: an order by memory is the findings' promise here"
    assert not any("a growing memory" in line for line in lines)


def test_of_families_that_training_saw_the_policy_says_nothing(tmp_path: Path) -> None:
    lines = report(tmp_path, kept(tmp_path, 3, "elementwise"))
    assert "no kernel is of a family that no training saw" in lines and not any("policy saves" in line for line in lines)


def test_without_a_table_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert report(tmp_path, ["suite/mvt"]) == ["0 kernels with something to find, of 0 programs"]
