"""What is put into streams, run as late as CUDA allows: what is ordered stays as it is, and what nothing orders shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.model.recording import Recording
from assistant.serialize import loads
from tests.thorough import only

VERSIONS = sorted((Path(__file__).parents[2] / "cheats" / "streams").glob("*.cu"))
OFTEN = ("original", "honest_polling", "honest_host_wait", "no_wait", "early_read", "other_event", "refilled_early", "unordered_copy")
FILL = 0x5A


def printed(run: Any, binary: Path, **fields: Any) -> str:
    reply = run(binary, mode="plain", **fields)
    assert reply["exit_status"] == 0 and not reply["timed_out"], reply
    return Path(reply["stdout_path"]).read_text()


@pytest.mark.parametrize("version", only([path for path in VERSIONS if path.stem in OFTEN], VERSIONS), ids=lambda path: path.stem)
def test_a_program_that_waits_prints_the_same_late_and_one_that_does_not_prints_something_else(build: Any, run: Any, version: Path) -> None:
    binary = build(f"../cheats/streams/{version.name}")
    at_once, late = (printed(run, binary, is_late=is_late, device_fill=FILL) for is_late in (False, True))
    is_ordered = version.stem == "original" or version.stem.startswith("honest")
    assert (at_once == late) is is_ordered


@pytest.mark.parametrize("name", ["chunks", "flag", "graph", "host_function", "lanes", "managed", "polls"])
def test_what_cuda_orders_is_kept(build: Any, run: Any, name: str) -> None:
    binary = build(f"emulator/late/{name}.cu")
    assert printed(run, binary, is_late=True, device_fill=FILL) == printed(run, binary)


def test_a_stream_may_be_ahead_of_another_one(build: Any, run: Any) -> None:
    binary = build("emulator/late/lanes_filled_ahead.cu")
    assert printed(run, binary, device_fill=FILL) == printed(run, build("emulator/late/lanes.cu"), device_fill=FILL)
    assert printed(run, binary, is_late=True, device_fill=FILL) != printed(run, binary, device_fill=FILL)


def test_branches_of_a_graph_that_nothing_orders_may_overtake_each_other(build: Any, run: Any) -> None:
    binary = build("emulator/late/graph.cu")
    at_once, late = (Path(run(binary, "no wait", mode="plain", is_late=is_late)["stdout_path"]).read_text() for is_late in (False, True))
    assert (at_once, late) == ("7\n7\n", "2\n2\n")


def test_an_event_that_is_not_reached_has_no_time(build: Any, run: Any) -> None:
    reply = run(build("emulator/late/chunks.cu"), mode="plain", is_late=True)
    assert Path(reply["stderr_path"]).read_text() == "cudaErrorNotReady\n"


def test_what_is_never_waited_for_is_never_done(build: Any, run: Any, tmp_path: Path) -> None:
    binary = build("emulator/late/never_waits.cu")
    assert printed(run, binary) == "from the kernel\nend\n"
    assert printed(run, binary, is_late=True, record=str(tmp_path / "late")) == "end\n"
    recording = loads(Recording, (tmp_path / "late" / "recording.json").read_bytes())
    assert [(transfer.kind, transfer.size_bytes) for transfer in recording.transfers] == [("unfinished", 0)]


def test_transfers_stand_in_the_order_of_their_issue_and_overtaking_is_named(build: Any, run: Any, tmp_path: Path) -> None:
    binary = build("emulator/late/two_results.cu")
    assert printed(run, binary) == "7 14\n"
    assert printed(run, binary, is_late=True, record=str(tmp_path / "late")) == "7 0\n"
    recording = loads(Recording, (tmp_path / "late" / "recording.json").read_bytes())
    assert [(transfer.kind, transfer.size_bytes) for transfer in recording.transfers] == [("memcpy", 128), ("memcpy", 64)]
    (first, *_) = [pair for pair in recording.overtaken if pair.earlier.startswith("set")]
    assert (first.first, first.first_line, first.earlier, first.earlier_line) == ("scale(int*, int const*)", 20, "set(int*, int)", 17)
