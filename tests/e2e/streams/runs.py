"""End-to-end runs whose events are recorded: what the engine emits, whatever it looks like inside.

A run is commands in a folder of its own, one after the other, with ``--json``. ``{id}`` is the newest proposal's. Sources are small: it is
the order and content of events that is kept, not the size of a workload.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.cli.harness import CHEATS, DATA, Cli, Ended, finish, quick_text, small_text
from tests.e2e.cli.kernels_of_a_model import PADDED_TILE, REGISTER_SUM, SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, code, plan, step
from tests.e2e.cli.test_pair import start

__all__ = ["RUNS", "Run", "events_of"]

Command = tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """Commands, and what lies in their folder."""

    commands: tuple[Command, ...]
    sources: Mapping[str, str]
    model: ScriptedModel | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of the user, by section."""
    typed: str = ""
    """Into the standard input of ``pair``."""


def events_of(run: Run, cli: Cli) -> list[dict[str, Any]]:
    """What all commands of it printed, in order."""
    for name, text in run.sources.items():
        cli.write(name, text)
    if run.settings and run.model is None:
        lines = (f"[{name}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in values.items()) for name, values in run.settings.items())
        (cli.home / "config.toml").write_text("".join(lines), "utf-8")
    events: list[dict[str, Any]] = []
    for command in run.commands:
        events += _ended(run, cli, tuple(word.format(id=_newest(events)) for word in command)).events
    return events


def _ended(run: Run, cli: Cli, command: Command) -> Ended:
    if command[0] == "pair":
        process = start(cli, *command[1:], "--json")
        out, err = process.communicate(run.typed, timeout=LONG_S)
        return Ended(process.returncode, "".join(line for line in out.splitlines(keepends=True) if line.startswith("{")), err)
    if run.model is None:
        return finish(cli.start(*command, "--json"), LONG_S)
    with asked_by(cli, run.model, search=ONE_VARIANT, **run.settings):
        return finish(cli.start(*command, "--planner", "llm", "--json"), LONG_S)


def _newest(events: list[dict[str, Any]]) -> str:
    return next((event["id"] for event in reversed(events) if event["event"] == "proposal"), "")


_RACE = """\
__global__ void turned(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int *x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 1, 256);
    turned<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
"""
_BEYOND = _RACE.replace("s[63 - threadIdx.x]", "s[threadIdx.x] + x[64 + threadIdx.x]")
_UNKNOWN_NAME = "__global__ void k(float *x) { x[0] = y; }\nint main() { k<<<1, 1>>>(0); }\n"
_NO_KERNEL = "int main() { return 0; }\n"
_NO_MAIN = "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }\n"


def _small(name: str, *command: str) -> Run:
    return Run(((command[0], name, *command[1:]),), {name: small_text(name)})


def _text(text: str, *commands: str) -> Run:
    return Run(tuple((command, "a.cu") for command in commands), {"a.cu": text})


def _cheat(name: str) -> Run:
    version = CHEATS / f"{name}.cu"
    return _compared(version.with_name("original.cu").read_text("utf-8"), version.read_text("utf-8"))


def _honest(name: str, folder: str = "honest") -> Run:
    return _compared(*((DATA / folder / f"{name}.{side}.cu").read_text("utf-8") for side in ("before", "after")))


def _compared(before: str, after: str) -> Run:
    return Run((("compare", "before.cu", "after.cu"),), {"before.cu": before, "after.cu": after})


def _searched(*further: Command, options: Command = ()) -> Run:
    """A search that finds one edit, and what is done with it."""
    return Run((("optimize", "transpose.cu", *options), *further), {"transpose.cu": quick_text()})


def _asked(name: str, text: str, plans: list[str], codes: list[str], **settings: Any) -> Run:
    return Run((("optimize", name),), {name: text}, ScriptedModel(plans, codes), settings)


_PADDING = plan(step("shared-memory-padding", 10, "KO103"))
_TILE = plan(step("shared-tile", 11))

RUNS: dict[str, Run] = {
    "inspect": _small("pipeline.cu", "inspect"),
    "inspect_without_kernels": _text(_NO_KERNEL, "inspect"),
    "check": _small("pipeline.cu", "check"),
    "check_race": _text(_RACE, "check"),
    "check_out_of_bounds": _text(_BEYOND, "check"),
    "check_not_compiled": _text(_UNKNOWN_NAME, "check"),
    "profile_transpose": _small("transpose.cu", "profile"),
    "profile_bank_conflicts": _small("bank_conflicts.cu", "profile"),
    "profile_pipeline": _small("pipeline.cu", "profile"),
    "profile_without_workload": _text(_NO_MAIN, "profile"),
    "compare_honest_rows": _honest("row_by_warp"),
    "compare_honest_atomics": _honest("histogram"),
    "compare_honest_declared": _honest("declared"),
    "compare_moved_sum": _honest("sum_in_a_new_kernel", "found"),
    "compare_streams": _honest("two_streams"),
    "compare_no_op": _cheat("no_op"),
    "compare_partial_write": _cheat("partial_write"),
    "compare_half_sum": _cheat("half_sum"),
    "compare_nan": _cheat("nan_output"),
    "compare_missing_barrier": _cheat("missing_barrier"),
    "compare_not_compiled": _compared(_RACE, _UNKNOWN_NAME),
    "optimize_declared": _searched(),
    "optimize_accepted_undone": _searched(("accept", "{id}"), ("undo", "{id}"), ("history",)),
    "optimize_rejected_and_again": _searched(("reject", "{id}", "--reason", "precision"), ("optimize", "transpose.cu"), ("proposals",)),
    "optimize_program": _small("accumulator.cu", "optimize", "--accept", "best-predicted"),
    "optimize_host_code": _small("block_size.cu", "optimize", "--allow-host-code"),
    "optimize_host_code_not_allowed": _small("row_walk.cu", "optimize"),
    "optimize_two_steps": _small("pipeline.cu", "optimize", "--accept", "best-predicted", "--allow-host-code"),
    "optimize_no_candidates": _searched(options=("--max-candidates", "1", "--kernel", "transpose")),
    "optimize_unknown_kernel": _searched(options=("--kernel", "other")),
    "optimize_race": _text(_RACE, "optimize"),
    "model_fixed": _asked(
        "bank_conflicts.cu",
        small_text("bank_conflicts.cu"),
        [_PADDING, plan()],
        [code(PADDED_TILE.replace("TILE + 1", "TILE + PADDING")), code(PADDED_TILE)],
    ),
    "model_wrong_then_right": _asked(
        "accumulator.cu",
        small_text("accumulator.cu"),
        [plan(step("scalar-replacement", 12, "KO113")), plan()],
        [code(REGISTER_SUM.replace("int k = 0", "int k = 1")), code(REGISTER_SUM)],
    ),
    "model_refined": _asked("transpose.cu", quick_text(), [_TILE, plan()], [code(SAME_STORES), code(TILED_TRANSPOSE)]),
    "model_no_json": _asked("transpose.cu", quick_text(), ["I would tile it.", _TILE, plan()], [code(TILED_TRANSPOSE)]),
    "pair_suggestion": Run(
        (("pair", "transpose.cu"),),
        {"transpose.cu": quick_text()},
        typed="constrain no staged-store\nsuggest\nconstrain drop 1\nsuggest\nreject precision\nladder\nstop\n",
    ),
    "pair_start_and_stop": Run((("pair", "a.cu"),), {"a.cu": _RACE}, typed="ladder\nstop\n"),
}
