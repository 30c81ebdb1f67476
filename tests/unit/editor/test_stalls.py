"""What warps wait for on a hot line. No GPU samples here: the numbers are made up, in the shape that Nsight Compute's reports have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.editor.picture import Analysis, view_of
from assistant.editor.stalls import brief_stall_hint, hot_stalls, stall_hint, stall_origin
from assistant.editor.view import View
from assistant.editor.words import HINT_LIMIT, fitted
from assistant.engine.events_as_json import event_from, event_object
from assistant.engine.report.profile_parts import stall_shares
from assistant.model import event_parts, events
from assistant.model.profile import InstructionMix, LineStall
from assistant.model.source import Source

_PATH = Path("/w/a.cu")
_TEXT = """\
__global__ void k(float *x, const float *y)
{
    __shared__ float t[64];
    t[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = t[63 - threadIdx.x] * 2.0f;
}
"""
_DEVICE = event_parts.Device("NVIDIA H200", "gpu", "h200")

_METRICS: Mapping[str, Mapping[int, int]] = {
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard": {0x10: 50, 0x20: 12},
    "smsp__pcsamp_warps_issue_stalled_wait": {0x10: 18},
    "smsp__pcsamp_warps_issue_stalled_barrier": {0x30: 15},
    "smsp__pcsamp_warps_issue_stalled_short_scoreboard": {0x40: 5},
    "smsp__pcsamp_warps_issue_stalled_selected": {0x10: 400},
}
"""Metric → its instances by correlation id, which is the instruction's address."""
_PLACES = {0x10: ("/w/a.cu", 4), 0x20: ("/w/a.cu", 4), 0x30: ("/w/a.cu", 5), 0x40: ("/w/a.cu", 6)}
"""Address → ``IAction.source_info``: file and line."""


def _stalls() -> Iterator[LineStall]:
    for name, instances in _METRICS.items():
        reason = name.removeprefix("smsp__pcsamp_warps_issue_stalled_")
        for address, samples in instances.items():
            if reason != "selected":
                yield LineStall(*_PLACES[address], reason, samples)


def _profile(**changes: object) -> events.Profile:
    known = events.Profile(
        "J1", "k(float *, const float *)", "k(float*, float const*)", 0, (1, 1, 1), (64, 1, 1), 256, _DEVICE, "ncu", {}, InstructionMix(),
        (), (), (), (), stalls=tuple(_stalls()),
    )  # fmt: skip
    return replace(known, **changes)  # pyright: ignore[reportArgumentType]


def _view(profile: events.Profile, text: str = _TEXT) -> View:
    summary = events.ProfileSummary("J1", profile.kernel, profile.instance, (1, 1, 1), (64, 1, 1), 256, 1, "latency", None)
    return view_of(parse(Source(_PATH, text)), {"profile": Analysis(_TEXT, (profile, summary))})


def test_a_hot_line_says_its_share_and_its_top_reason() -> None:
    view = _view(_profile())
    hints = {line: stall_hint(view, items) for line, items in hot_stalls(view).items()}
    assert hints == {
        4: "80 % of the kernel's stalls, mostly long scoreboard (78 %)",
        5: "15 % of the kernel's stalls, mostly barrier (100 %)",
    }


def test_an_inlay_hint_is_no_longer_than_an_editor_shows() -> None:
    for profile in (_profile(), _profile(stalls=(LineStall("/w/a.cu", 4, "math_pipe_throttle", 9),))):
        view = _view(profile)
        assert all(len(brief_stall_hint(view, items)) <= HINT_LIMIT for items in hot_stalls(view).values())
    view = _view(_profile())
    assert brief_stall_hint(view, hot_stalls(view)[4]) == "80 % of stalls, mostly long scoreboard"
    assert fitted(["a_kernel_with_a_very_long_name: 100 % of stalls, mostly wait"]) == "a_kernel_with_a_very_long_name: 100 % of s…"


def test_a_line_that_is_hot_for_another_reason_says_its_stalls_too() -> None:
    view = _view(_profile())
    assert stall_hint(view, hot_stalls(view, also=(6,))[6]) == "5 % of the kernel's stalls, mostly short scoreboard (100 %)"


def test_the_origin_names_method_device_and_what_the_reason_means() -> None:
    view = _view(_profile())
    assert stall_origin(hot_stalls(view)[4]) == (
        "warp samples by ncu (smsp__pcsamp_warps_issue_stalled_*) on NVIDIA H200, in the kernel's costliest launch; "
        "long scoreboard: the warp waits for data of global, local or texture memory"
    )


def test_stalls_move_with_their_line() -> None:
    assert sorted(hot_stalls(_view(_profile(), f"// typed above\n{_TEXT}"))) == [5, 6]


@pytest.mark.parametrize("stalls", [(), (LineStall("/w/a.cu", 4, "wait", 0),), (LineStall("/w/other.cuh", 4, "wait", 9),)])
def test_without_samples_of_this_file_nothing_is_said(stalls: tuple[LineStall, ...]) -> None:
    assert hot_stalls(_view(_profile(stalls=stalls))) == {}


def test_a_profile_keeps_its_stalls_in_memory_and_on_the_wire() -> None:
    assert event_from(event_object(_profile())) == _profile()
    without = event_object(_profile())
    del without["stalls"]
    assert event_from(without) == _profile(stalls=()), "an answer of an earlier version"


def test_a_launchs_stalls_are_shares_of_all_its_samples() -> None:
    assert [(share.name, share.value, share.ratio) for share in stall_shares(_stalls())] == [
        ("long scoreboard", 62, 0.62),
        ("wait", 18, 0.18),
        ("barrier", 15, 0.15),
        ("short scoreboard", 5, 0.05),
    ]
