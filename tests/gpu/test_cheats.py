"""Wrong edits are refused on a GPU too, each for its fault; honest ones pass, and those that must be faster are measured to be.

Every pair is compared by the command line, several at a time: what is timed waits for the GPU's lock. ``tests/cheats/expected.toml``
says what each must give.
"""

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

TESTS = Path(__file__).parents[1]
CHEATS, HONEST, FAST = TESTS / "cheats", TESTS / "data" / "honest", TESTS / "gpu" / "honest"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((CHEATS / "expected.toml").read_text("utf-8"))
WRONG = tuple(name for name, expected in EXPECTED.items() if expected["outcome"] != "CANNOT_JUDGE")
NOT_TOLD = tuple(name for name in EXPECTED if name not in WRONG)
"""What no values of their workload can tell from the original."""
RIGHT = tuple(sorted({path.name.split(".")[0] for path in HONEST.glob("*.cu")}))
FASTER = tuple(sorted({path.name.split(".")[0] for path in FAST.glob("*.cu")}))
"""In sizes that keep a GPU busy."""
AT_ONCE = 8
DEADLINE_S = 300.0


def pair(name: str) -> tuple[Path, Path]:
    if name in EXPECTED:
        version = CHEATS / f"{name}.cu"
        return version.with_name("original.cu"), version
    folder = FAST if name in FASTER else HONEST
    return folder / f"{name}.before.cu", folder / f"{name}.after.cu"


def compared(home: Path, name: str) -> list[dict[str, Any]]:
    """The events of one comparison."""
    command = (sys.executable, "-P", "-m", "assistant", "compare", *map(str, pair(name)), "--device", "gpu:0", "--json")
    environment = {**os.environ, "KERNELOPT_HOME": str(home)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert ended.stdout, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


Comparisons = dict[str, Future[list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def comparisons(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comparisons]:
    """Of the pairs that tests were asked for."""
    home = tmp_path_factory.mktemp("home")
    asked = " ".join(item.name for item in request.session.items)
    names = [name for name in (*FASTER, *RIGHT, *WRONG, *NOT_TOLD) if f"[{name}]" in asked]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(compared, home, name) for name in names}
        pool.shutdown(wait=True, cancel_futures=True)


def events_of(comparisons: Comparisons, name: str) -> list[dict[str, Any]]:
    return comparisons[name].result(timeout=DEADLINE_S * len(comparisons) / AT_ONCE)


def verdict(comparisons: Comparisons, name: str) -> dict[str, Any]:
    events = events_of(comparisons, name)
    found = [event for event in events if event["event"] == "comparison"]
    assert found, events[-3:]
    return found[-1]


@pytest.mark.parametrize("name", WRONG)
def test_an_edit_gets_the_verdict_it_deserves(comparisons: Comparisons, name: str) -> None:
    expected, comparison = EXPECTED[name], verdict(comparisons, name)
    verification = comparison["verification"]
    assert verification["outcome"] == expected["outcome"], verification["findings"]
    found = {finding["code"] for finding in verification["findings"] if finding["outcome"] == expected["outcome"]}
    assert expected["outcome"] == "PASS" or found & set(expected["any_of"]), verification["findings"]
    if expected["outcome"] == "FAIL":
        assert comparison["speed"] is None
        return
    speed: dict[str, Any] = comparison["speed"]
    assert speed["outcome"] in ("FASTER", "SAME", "SLOWER", "INCONCLUSIVE")
    assert expected.get("gains", True) or speed["outcome"] != "FASTER", speed


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_no_values_can_show_gets_no_verdict(comparisons: Comparisons, name: str) -> None:
    events = events_of(comparisons, name)
    assert not [event for event in events if event["event"] == "comparison"]
    assert events[-1]["exit_code"] == 3 and any(EXPECTED[name]["reason"] in str(event) for event in events)


@pytest.mark.parametrize("name", RIGHT)
def test_an_honest_edit_is_not_refused(comparisons: Comparisons, name: str) -> None:
    verification = verdict(comparisons, name)["verification"]
    assert verification["outcome"] != "FAIL", verification["findings"]


@pytest.mark.parametrize("name", FASTER)
def test_an_honest_fast_edit_passes_and_is_measured_to_be_faster(comparisons: Comparisons, name: str) -> None:
    comparison = verdict(comparisons, name)
    verification = comparison["verification"]
    expected = "NEEDS_DECISION" if "alignment" in verification["labels"] else "PASS"
    assert verification["outcome"] == expected, verification["findings"]
    assert comparison["speed"]["outcome"] == "FASTER", comparison["speed"]
