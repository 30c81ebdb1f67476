"""Edits of programs of real size, at that size: right ones are not refused, wrong ones do not pass (``tests/data/large_programs``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "large_programs"
PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "edits.toml").read_text("utf-8"))
EDITS = {f"{program}-{name}": edit for program, given in PROGRAMS.items() for name, edit in given["edits"].items()}
AT_ONCE = 4
DEADLINE_S = 300.0


def edited(name: str) -> str:
    text = (FOLDER / f"{name.partition('-')[0]}.cu").read_text("utf-8")
    for old, new in zip(EDITS[name]["old"], EDITS[name]["new"], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return text


def compared(home: Path, folder: Path, name: str) -> list[dict[str, Any]]:
    folder.mkdir()
    (folder / "a.cu").write_text((FOLDER / f"{name.partition('-')[0]}.cu").read_text("utf-8"))
    (folder / "b.cu").write_text(edited(name))
    command = (sys.executable, "-P", "-m", "assistant", "compare", "a.cu", "b.cu", "--device", "gpu:0", "--json")
    environment = {**os.environ, "KERNELOPT_HOME": str(home)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert ended.stdout, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.fixture(scope="module")
def comparisons(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Any]]]:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("edits")
    asked = [name for name in EDITS if any(item.name.endswith(f"[{name}]") for item in request.session.items)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(compared, home, folder / name, name) for name in asked}
        pool.shutdown(wait=True, cancel_futures=True)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_at_real_size_gets_the_verdict_it_deserves(comparisons: dict[str, Future[Any]], name: str) -> None:
    told = comparisons[name].result(timeout=DEADLINE_S * len(comparisons) / AT_ONCE)
    found = [event["verification"] for event in told if event["event"] == "comparison"]
    assert found, told[-3:]
    outcomes = {one["outcome"] for one in found}
    assert "FAIL" not in outcomes if EDITS[name].get("is_right", False) else outcomes != {"PASS"}, found
