"""Options about PyTorch tasks, as the command line reads them; and times, as a terminal shows them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from assistant.cli.operators import operator_options, operator_request
from assistant.cli.operators_screen import OperatorsScreen
from assistant.engine import OperatorOptions
from assistant.errors import UsageError
from assistant.model.code_events import OperatorKernel, OperatorRatio, OperatorTime, OperatorTimed
from assistant.model.comparison import SpeedOutcome
from assistant.model.event_parts import Device, SpeedReport


def test_without_options_everything_is_as_it_is_by_default() -> None:
    assert operator_options(None) == OperatorOptions()


def test_baselines_and_sizes_are_read_and_eager_is_always_there() -> None:
    found = operator_options("Net", baselines=" max-autotune, compile,", sizes=["rows=4096", " columns = 7"])
    assert found.baselines == ("eager", "max-autotune", "compile") and found.sizes == (("rows", 4096), ("columns", 7))
    assert operator_options(None, baselines="eager").baselines == ("eager",)


@pytest.mark.parametrize("size", ["rows", "rows=", "rows=-1", "=4", "rows=4.0", "two words=4"])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(UsageError, match="--size takes NAME=N"):
        operator_options(None, sizes=[size])


def test_a_baseline_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="does not know 'tensorrt'") as raised:
        operator_options(None, baselines="compile,tensorrt")
    assert raised.value.remedy == "there are eager, compile, max-autotune"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (operator_options(None, sizes=["n=4"]), "--size"),
        (operator_options(None, baselines="eager"), "--baselines"),
        (operator_options(None, only_custom=True), "--only-custom"),
        (operator_options(None, is_backward=True), "--backward"),
    ],
)
def test_what_is_about_tasks_is_refused_of_kernels(tmp_path: Path, options: OperatorOptions, name: str) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text("__global__ void k() {}")
    with pytest.raises(UsageError, match=f"{name} is about PyTorch tasks, and kernel.cu is none"):
        operator_request(file, options, None, None, None)
    assert operator_request(file, operator_options(None), None, None, None) is None


def speed(ratio: float, outcome: SpeedOutcome = SpeedOutcome.FASTER) -> SpeedReport:
    return SpeedReport(outcome, ratio, ratio - 0.01, ratio + 0.01, 0.01, "good", (), "turns", None, None)


def shown(event: OperatorTimed) -> str:
    text = io.StringIO()
    OperatorsScreen(Console(file=text, width=160, no_color=True)).show_times(event)
    return text.getvalue()


RAN = (OperatorKernel("gemm", 2, 30e-6), OperatorKernel("add", 1, 10e-6))


def timed(**changes: object) -> OperatorTimed:
    ratio = OperatorRatio("eager", speed(2.0), speed(4.0))
    given: dict[str, object] = {
        "job": "J1", "name": "Model", "device": Device("NVIDIA H200", "gpu", "h200"), "sizes": {"rows": 4096},
        "times": (OperatorTime("eager", 50e-6, 40e-6, RAN), OperatorTime("candidate", 25e-6, 10e-6)), "ratios": (ratio,),
        "graphed": (ratio,), "bound_s": 12e-6,
        "left_out": ("compile: no compiler",), "method": "turns in random order",
    }  # fmt: skip
    return OperatorTimed(**(given | changes))  # pyright: ignore[reportArgumentType]


def test_each_way_has_a_line_with_both_times_and_what_the_candidate_gains() -> None:
    lines = [line.strip() for line in shown(timed()).splitlines()]
    assert lines[0] == "Model on NVIDIA H200, rows = 4096; at least 12 µs by bytes and operations"
    eager, candidate, graph, whose, first, second, left, method = lines[1:]
    assert eager.startswith("eager") and "50 µs a call" in eager and "40 µs on the device" in eager
    assert eager.endswith("candidate FASTER 2.00x (1.99 to 2.01) a call, FASTER 4.00x (3.99 to 4.01) on the device")
    assert candidate.split() == ["candidate", "25", "µs", "a", "call", "10", "µs", "on", "the", "device"]
    assert graph == "in a CUDA graph: FASTER 2.00x (1.99 to 2.01) a call over eager"
    assert whose == "kernels of a call, eager"
    assert first.split() == ["75%", "30", "µs", "2", "x", "gemm"] and second.startswith("25%")
    assert left == "not timed: compile: no compiler" and method == "turns in random order"


def test_what_torch_compile_makes_of_it_stands_beside_eager_by_name() -> None:
    fused = tuple(OperatorKernel(f"triton_poi_fused_{number}", 1, 1e-6) for number in range(8))
    lines = [
        line.strip()
        for line in shown(timed(times=(OperatorTime("eager", 1e-4, 1e-4, RAN), OperatorTime("compile", 1e-4, 1e-4, fused)))).splitlines()
    ]
    own = lines[lines.index("kernels of a call, compile") :]
    assert own[1].split() == ["12%", "1", "µs", "1", "x", "triton_poi_fused_0"] and own[7] == "2 further kernels not shown"


@pytest.mark.parametrize(
    ("bound_s", "words"), [(None, "Model on NVIDIA H200"), (3e-10, "its bytes and operations take less than a launch")]
)
def test_a_bound_below_a_launch_is_said_in_words(bound_s: float | None, words: str) -> None:
    first = shown(timed(bound_s=bound_s, sizes={})).splitlines()[0]
    assert words in first and "at least" not in first
