"""What a lab is asked when two versions are compared: cases and their values, how often, under what checks and limits; and what is told.

After a change that is meant: ``pytest tests/unit/engine/test_asked.py --snapshot-update``, and read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from assistant.engine.proposals.submitted import Submission
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Problem
from assistant.model.recording import RecordedArgument, RecordedLaunch, Upload
from assistant.model.source import Source
from assistant.model.timing import PairTiming, TimedResult, TimingOptions
from assistant.model.workload import Case, CaseKey
from assistant.ports.lab import Lab, LabFailure, Program, RunLimits
from assistant.workload.recordings import NewCase, blob_name
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour
from tests.normal_events import normal_lines
from tests.unit.engine.asked import Alter, Asked, AskedLab, Refuse
from tests.unit.engine.commands import BESIDE, HOST, KERNELS, PROGRAMS, Commands, live_workload
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT, WORKLOAD, TwoEdits
from tests.unit.engine.test_commands import CHAIN, CHEAPER, FUSED, PAIR, SCALE, TIMED, TWO, WRONG, A, edited
from tests.unit.engine.test_search import KERNELS as TURNS
from tests.unit.workload.launches import launched

RANDOM = np.random.default_rng(3)
X = np.linspace(-4, 4, 1000, dtype=np.float32)
GATHER = """\
__global__ void gather(float *out, const float *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[at[i]];
}
int main() { gather<<<4, 256>>>(out, x, at, 1000); }
"""
ADD = """\
__global__ void add(float *sum, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += x[i];
}
int main() { add<<<4, 256>>>(sum, x, 1000); }
"""
COUNT = """\
__global__ void count(int *found, const int *keys, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(found, keys[i] < most);
}
int main() { count<<<4, 256>>>(found, keys, 1000, 5); }
"""
WEIGHED = """\
/* kernelopt
[workload.weighed]
args = { out = "empty(n)", x = "randn(n)", at = "randint(0, n - 1, n)", n = "n", by = "2.5" }
reference = "ref.py:weighed_by_numpy"
grid = ["ceil(n/64)"]
block = [64]
shapes = [{ n = 200 }]
*/
__global__ void weighed(float *out, const float *x, const int *at, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = by * x[at[i]];
}
"""
BOUNDED = """\
__global__ void both(float *out, float *x, int n, TYPE most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2.0f * (out[i] = 2.0f * fminf(x[i], most));
}
int main() { both<<<4, 256>>>(out, x, 1000, (TYPE)4); cudaMemcpy(x, out, 4000, cudaMemcpyDeviceToHost); }
"""
"""What ``CHAIN`` does, for values up to a bound that the host passes."""
HALF = SCALE + "int main() { scale<<<4, 256>>>(out, x, 1000); scale<<<2, 256>>>(out, x, 500); }\n"
LARGE = SCALE + "int main() { scale<<<(n + 255) / 256, 256>>>(out, x, n); } // large\n"
LARGE_SLOW = LARGE.replace("int main", "// takes long\nint main")
FRESH = SCALE + "int main() { scale<<<4, 256>>>(out, x, 1000); } // fresh memory\n"
GENERAL = f"{WORKLOAD}\n{NAIVE}\n"


def _gathered(out: Any, x: Any, at: Any, n: int) -> None:
    if at[:n].min() < 0 or at[:n].max() >= x.size:
        raise IndexError("x is read beyond its end")
    out[:n] = x[at[:n]]


def _counted(found: Any, keys: Any, n: int, most: int) -> None:
    found[0] += np.count_nonzero(keys[:n] < most)


def _weighed(out: Any, x: Any, at: Any, n: int, by: float) -> None:
    _gathered(out, x, at, n)
    out[:n] *= np.float32(by)


def _weighed_by_numpy(out: Any, x: Any, at: Any, n: float, by: float) -> tuple[np.ndarray, ...]:
    return (by * x[at],)


def _both_up_to(out: Any, x: Any, n: int, most: float) -> None:
    out[:n] = 2 * np.minimum(x[:n], np.float32(most))
    x[:n] = 2 * out[:n]


def _added(result: Any, x: Any, n: int) -> None:
    result[:n] += x[:n]


def _set(result: Any, x: Any, n: int) -> None:
    result[:n] = x[:n]


MORE_KERNELS = {
    "out[i] = x[at[i]]": Behaviour(_gathered, sectors=8),
    "out[i] = x[*(at + i)]": Behaviour(_gathered, sectors=4),
    "out[i] = by * x[at[i]]": Behaviour(_weighed, sectors=8),
    "out[i] = by * x[*(at + i)]": Behaviour(_weighed, sectors=4),
    "fminf(x[i], most)": Behaviour(_both_up_to, sectors=8),
    "sum[i] += x[i]": Behaviour(_added, sectors=8),
    "sum[i] = sum[i] + x[i]": Behaviour(_added, sectors=4),
    "sum[i] = x[i]": Behaviour(_set, sectors=4),
    "keys[i] < most": Behaviour(_counted, sectors=8),
    "most > keys[i]": Behaviour(_counted, sectors=4),
}


def _program(kernel: str, config: LaunchConfig, integers: Mapping[str, int], *buffers: np.ndarray) -> NewCase:
    """One launch, whose second and further buffers the host uploads."""
    case, _ = launched(config, integers, *buffers)
    uploads = list[Upload]()
    for state in case.recording.launches[0].buffers[1:]:
        buffer = case.recording.buffers[state.buffer]
        key = blob_name(buffers[state.buffer].tobytes())
        uploads.append(
            Upload(key, key, buffer.size_bytes, buffer.id, 0, has_addresses=False, transfer_count=0, element_type=buffer.element_type)
        )
    launches = (replace(case.recording.launches[0], kernel=kernel, file="a.cu", line=1),)
    return replace(case, recording=replace(case.recording, launches=launches, uploads=tuple(uploads)))


def _with_launches(case: NewCase, launches: Callable[[RecordedLaunch], tuple[RecordedLaunch, ...]]) -> NewCase:
    made = launches(case.recording.launches[0])
    return replace(case, recording=replace(case.recording, launches=made), launches=tuple(range(len(made))))


def _halves(first: RecordedLaunch) -> tuple[RecordedLaunch, ...]:
    out, x, n = first.arguments
    fewer = replace(n, data_hex=(500).to_bytes(4, "little").hex())
    return first, replace(first, index=1, config=LaunchConfig(Dim3(2), Dim3(256)), arguments=(out, x, fewer))


def _unwritten(first: RecordedLaunch) -> tuple[RecordedLaunch, ...]:
    out, *others = first.buffers
    return (replace(first, buffers=(replace(out, is_poisoned=True), *others)),)


_SCALE = "scale(float*, const float*, int)"
_FOUR = LaunchConfig(Dim3(4), Dim3(256))
_SCALED = _program(_SCALE, _FOUR, {"n": 1000}, np.zeros(1000, np.float32), X)


def _bounded(name: str, most: bytes) -> NewCase:
    return _with_launches(
        _program(f"both(float*, float*, int, {name})", _FOUR, {"n": 1000}, np.zeros(1000, np.float32), X),
        lambda first: (replace(first, arguments=(*first.arguments, RecordedArgument(4, most.hex(), ()))),),
    )


MORE_PROGRAMS = {
    "(float)4": _bounded("float", np.float32(4).tobytes()),
    "(int)4": _bounded("int", np.int32(4).tobytes()),
    "gather<<<": _program(
        "gather(float*, const float*, const int*, int)",
        _FOUR,
        {"n": 1000},
        np.zeros(1000, np.float32),
        X,
        RANDOM.permutation(1000).astype(np.int32),
    ),
    "add<<<": _program("add(float*, const float*, int)", _FOUR, {"n": 1000}, np.zeros(1000, np.float32), X),
    "count<<<": _program(
        "count(int*, const int*, int, int)",
        _FOUR,
        {"n": 1000, "most": 5},
        np.zeros(1, np.int32),
        RANDOM.integers(1, 9, 1000).astype(np.int32),
    ),
    "scale<<<2": _with_launches(_SCALED, _halves),
    "// large": _program(
        _SCALE,
        LaunchConfig(Dim3(513), Dim3(256)),
        {"n": 131300},
        np.zeros(131300, np.float32),
        np.linspace(-4, 4, 131300, dtype=np.float32),
    ),
    "// fresh memory": _with_launches(_SCALED, _unwritten),
}


@dataclass
class Asking(Commands):
    """Commands whose labs keep what they are asked."""

    asked: Asked = field(default_factory=Asked)
    refuse: Refuse = lambda *_: None
    alter: Alter = lambda method, mode, program, answer, count: answer
    programs: Mapping[str, NewCase] = field(default_factory=lambda: {**MORE_PROGRAMS, **PROGRAMS})

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        made = super()._open_lab(request, scratch, target)
        known: dict[str, Any] = {name: value for name, value in vars(made).items() if not name.startswith("_")}
        known |= {"references": {**known["references"], "weighed_by_numpy": _weighed_by_numpy}, "programs": self.programs}
        return AskedLab(**known, heard=self.asked, refuse=self.refuse, alter=self.alter)


Run = Callable[[Asking], Awaitable[None]]
FEW = (CaseKey("resampled", "n=1000", 11, 1.0),)
"""Cases enough where something else is looked at."""


def compares(before: str, after: str, **more: object) -> Run:
    async def run(on: Asking) -> None:
        await on.compare(before, after, **more)  # type: ignore[arg-type]

    return run


def refused(before: str, after: str, method: str, mode: str, at: Callable[[int], bool] = lambda _: True, kind: str = "internal") -> Run:
    """Where the lab refuses some calls of that method in that mode, by how often it was called before."""

    def refuse(asked: str, asked_mode: str, program: Program, count: int) -> LabFailure | None:
        is_meant = (asked, asked_mode) == (method, mode) and at(count)
        return LabFailure(kind, f"the lab does not {method}", "ask again") if is_meant else None

    async def run(on: Asking) -> None:
        on.refuse = refuse
        await on.compare(before, after, cases=FEW)

    return run


def timed(before: str, after: str, **clock: object) -> Run:
    async def run(on: Asking) -> None:
        on.timing = Clock()
        for name, value in clock.items():
            setattr(on.timing, name, value)
        await on.compare(before, after, cases=FEW)

    return run


def altered(before: str, after: str, alter: Alter, **more: object) -> Run:
    async def run(on: Asking) -> None:
        on.alter = alter
        await on.compare(before, after, **more)  # type: ignore[arg-type]

    return run


def with_problems(kind: str, is_meant: Callable[[str, str], bool] = lambda _, text: "original" in text) -> Alter:
    """Every case, and every whole run, with this problem, where it is meant by (mode, text)."""
    problem = Problem(kind, f"a {kind}", "a.cu", 4, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if not is_meant(mode, program.sources[0].text):
            return answer
        if method == "run":
            return replace(answer, problems=(*answer.problems, problem))
        return replace(answer, cases=tuple(replace(case, problems=(*case.problems, problem)) for case in answer.cases))

    return alter


def refusing_launches(kernel: str) -> Alter:
    """B's launches of that kernel are no launches that a GPU runs."""
    problem = Problem("bad_launch", "too many threads", "a.cu", 4, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if method != "run" or mode not in ("count", "grade") or program.sources[0].path.name != "b.cu":
            return answer
        profiles = (replace(one, problems=(problem,)) if one.kernel.startswith(kernel) else one for one in answer.profiles)
        return replace(answer, profiles=tuple(profiles))

    return alter


def wrong_in_a(line: int) -> Alter:
    """A itself leaves its buffers in this line."""
    problem = Problem("out_of_bounds", "beyond its end", "a.cu", line, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if method != "run" or program.sources[0].path.name != "a.cu":
            return answer
        file = str(program.sources[0].path)
        return replace(answer, problems=(*answer.problems, replace(problem, file=file)))

    return alter


def runs_with_uploads(is_original: bool = True, **changes: object) -> Alter:
    """The original's runs with other contents uploaded differ so from what they are; else the edit's."""

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        is_meant = (method, mode) == ("run", "check") and count > 1 and ("original" in program.sources[0].text) is is_original
        return replace(answer, **changes) if is_meant else answer

    return alter


def with_varied_results(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
    """Repeats leave what they found in the first buffer, here and there."""
    if method != "replay" or mode != "plain" or count % 3:
        return answer
    cases = (replace(case, repeat_difference="out[3] is 1, then 2", varied=(case.after[1:], case.after)) for case in answer.cases)
    return replace(answer, cases=tuple(cases))


def in_another_order(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
    """A checked run of the edit passes the host what it uploaded."""
    if (method, mode) != ("run", "check") or "original" in program.sources[0].text:
        return answer
    first, second = answer.recording.transfers
    recording = replace(answer.recording, transfers=(replace(first, blob=second.blob), second))
    return replace(answer, recording=recording)


async def searches(on: Asking) -> None:
    await on.hear(on.session.optimize(on.request(GENERAL), OptimizeOptions(may_edit_host_code=False), Accept.NONE, None))


async def submits(on: Asking) -> None:
    await on.hear(on.session.submit(on.request(A, cases=FEW), Submission(_own(on, CHEAPER), "cheaper", "an agent")))


async def judges_two_texts(on: Asking) -> None:
    await on.hear(on.session.judge(on.request(UNRELATED, cases=FEW), _own(on, A), _own(on, CHEAPER)))


async def submits_to_what_runs_only_unlimited(on: Asking) -> None:
    def refuse(method: str, mode: str, program: Program, count: int) -> LabFailure | None:
        is_meant = program.is_candidate and "2.0f * x[i]" in program.sources[0].text
        return LabFailure("crashed", "no sockets", "") if is_meant else None

    on.refuse = refuse
    await submits(on)


def of_a_notebook(before: str, after: str, **more: object) -> Run:
    async def run(on: Asking) -> None:
        await on.compare(before, after, live=live_workload(on.folder), **more)  # type: ignore[arg-type]

    return run


class OddClock(Clock):
    """Timed calls leave these results of the version where untimed ones leave others."""

    def __init__(self, folder: Path, **odd: np.ndarray) -> None:
        super().__init__()
        self._folder = folder
        self._odd = odd

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        timing = await super().time(a, b, cases, options, limits)
        assert isinstance(timing, PairTiming)
        blobs = {version: blob_name(values.tobytes()) for version, values in self._odd.items()}
        for version, name in blobs.items():
            (self._folder / name).write_bytes(self._odd[version].tobytes())
        odd = tuple(TimedResult(version, ((0, name),)) for version, name in blobs.items())
        return replace(timing, cases=tuple(replace(case, odd_results=odd) for case in timing.cases), blobs=self._folder)


def timed_oddly(**odd: np.ndarray) -> Run:
    async def run(on: Asking) -> None:
        on.timing = OddClock(on.folder, **odd)
        await on.compare(TIMED, FASTER, cases=FEW)

    return run


TWO_KERNELS = PAIR
MOVED = edited("if (i < n) x", "if (n > i) x", edited("2.0f * x[i];", "2.5f * x[i];", PAIR))
BOTH_EDITED = edited("2.0f * x[i];", "x[i] + x[i];", PAIR).replace("if (i < n) x", "if (n > i) x")
PAIR_UNUSED = PAIR.replace(BESIDE, HOST)
UNRELATED = A.replace("1000", "999")
ORIGINAL, TWO_ORIGINAL = (f"{text}// original\n" for text in (A, TWO))
FASTER = TIMED.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "25 us")
NO_CLOCK = LabFailure("unsupported", "the clock is broken", "have it repaired")
RUNS: dict[str, Run] = {
    "cheaper": compares(A, CHEAPER),
    "wrong": compares(A, WRONG, cases=FEW),
    "gather": compares(GATHER, edited("x[at[i]]", "x[*(at + i)]", GATHER)),
    "add": compares(ADD, edited("sum[i] += x[i]", "sum[i] = sum[i] + x[i]", ADD)),
    "add_wrong": compares(ADD, edited("sum[i] += x[i]", "sum[i] = x[i]", ADD), cases=FEW),
    "count": compares(COUNT, edited("keys[i] < most", "most > keys[i]", COUNT)),
    "half": compares(HALF, edited("2.0f * x[i]", "x[i] + x[i]", HALF)),
    "large": compares(LARGE, edited("2.0f * x[i]", "x[i] + x[i]", LARGE)),
    "large_in_part": compares(LARGE_SLOW, edited("2.0f * x[i]", "x[i] + x[i]", LARGE_SLOW), cases=FEW),
    "large_in_part_wrong_elsewhere": compares(LARGE_SLOW, edited("if (i < n)", "if (i < n && i != n / 3)", LARGE_SLOW), cases=FEW),
    "one_of_two_is_wrong_in_a": altered(PAIR, BOTH_EDITED, wrong_in_a(9), cases=FEW),
    "fresh": compares(FRESH, edited("2.0f * x[i]", "x[i] + x[i]", FRESH)),
    "declared": compares(GENERAL, GENERAL.replace(NAIVE, RIGHT)),
    "notebook": of_a_notebook(SCALE, edited("2.0f * x[i]", "x[i] + x[i]", SCALE), cases=FEW),
    "notebook_wrong": of_a_notebook(SCALE, edited("2.0f * x[i]", "2.5f * x[i]", SCALE), cases=FEW),
    "fused": compares(TWO, FUSED),
    "again": compares(A, CHEAPER, cases=(CaseKey("mirrored", "n=1000", 14, 1.0),)),
    "timed": timed(TIMED, FASTER),
    "timed_stray": timed(TIMED, FASTER, stray="scale(float*, const float*, int) "),
    "timed_wrong": timed_oddly(B=3 * X),
    "timed_wrong_as_the_original": timed_oddly(A=3 * X, B=3 * X),
    "not_timed": timed(TIMED, FASTER, failure=NO_CLOCK),
    "fused_not_timed": timed(
        TIMED.replace(A[len(SCALE) :], CHAIN), FUSED.replace("    int i", "    // takes 60 us\n    int i"), failure=NO_CLOCK
    ),
    "fused_for_its_own_values": compares(TWO, edited("* x[i])", "* fminf(x[i], 4.0f))", FUSED)),
    "original_races": altered(ORIGINAL, WRONG, with_problems("shared_race"), cases=FEW),
    "original_races_and_b_is_right": altered(ORIGINAL, CHEAPER, with_problems("shared_race"), cases=FEW),
    "original_unsupported": altered(ORIGINAL, CHEAPER, with_problems("unsupported")),
    "b_has_a_problem": altered(ORIGINAL, CHEAPER, with_problems("out_of_bounds", lambda _, text: "original" not in text), cases=FEW),
    "varied": altered(ORIGINAL, CHEAPER, with_varied_results, cases=FEW),
    "whole_with_a_problem": altered(TWO_ORIGINAL, FUSED, with_problems("global_race", lambda mode, text: "original" not in text)),
    "whole_late": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(timed_out=True)),
    "whole_late_in_b": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(is_original=False, timed_out=True, exit_status=None)),
    "whole_not_ended": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(exit_status=None)),
    "whole_not_clean": altered(
        TWO_ORIGINAL, FUSED, runs_with_uploads(problems=(Problem("trap", "a trap", "a.cu", 4, None, None, None, None, None, 1),))
    ),
    "whole_in_another_order": altered(TWO_ORIGINAL, FUSED, in_another_order),
    "search": searches,
    "submit": submits,
    "judge": judges_two_texts,
    "by_a_command": compares(A, CHEAPER, run_command=("./app",), cases=FEW),
    "weighed": compares(WEIGHED, edited("x[at[i]]", "x[*(at + i)]", WEIGHED)),
    "fused_with_a_float": compares(TWO, BOUNDED.replace("TYPE", "float")),
    "fused_with_an_integer": compares(TWO, BOUNDED.replace("TYPE", "int")),
    "submit_to_what_runs_only_unlimited": submits_to_what_runs_only_unlimited,
    "misleading": compares(A, f"#line 7\n{CHEAPER}"),
    "a_not_built": refused(A, CHEAPER, "run", "count", lambda count: count == 0),
    "b_crashed": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "crashed"),
    "b_timed_out": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "timed_out"),
    "two_b_crashed": refused(TWO_KERNELS, TWO_KERNELS + "\n", "run", "count", lambda count: count == 1, "crashed"),
    "b_interrupted": refused(A, CHEAPER, "run", "count", lambda count: count == 1),
    "b_not_built": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "not_built"),
    "b_refused_one_of_two": altered(
        TWO_KERNELS, edited("2.0f * x[i];", "x[i] + x[i];", TWO_KERNELS), refusing_launches("both("), cases=FEW
    ),
    "b_refused": altered(ORIGINAL, CHEAPER, refusing_launches("scale(")),
    "moved": compares(TWO_KERNELS, MOVED, cases=FEW),
    "a_kernel_that_is_not_launched": compares(
        PAIR_UNUSED, edited("2.0f * x[i];", "x[i] + x[i];", PAIR_UNUSED).replace("if (i < n) x", "if (n > i) x"), cases=FEW
    ),
    "no_second_run": refused(A, CHEAPER, "run", "check"),
    "no_replay": refused(A, CHEAPER, "replay", "plain"),
    "no_replay_of_b": refused(A, CHEAPER, "replay", "plain", lambda count: count > 2),
    "no_trials": refused(A, CHEAPER, "replay", "check"),
    "no_doubles": refused(A, CHEAPER, "replay promoted", "plain"),
    "no_doubles_by_the_source": refused(A, CHEAPER, "replay promoted", "plain", kind="not_built"),
    "no_check_of_the_whole": refused(TWO, FUSED, "run", "check", lambda count: count == 1),
    "no_other_uploads": refused(TWO, FUSED, "run", "check", lambda count: count > 1),
}
VALUES_SHOWN = frozenset({"cheaper", "gather", "add", "count", "half", "large", "fresh", "declared", "notebook"})
"""Runs whose cases are told one by one; of others only which of them are asked for."""


class Lines(SingleFileSnapshotExtension):
    """A file for each run: what the lab was asked, then what was told."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.mark.parametrize("name", RUNS)
async def test_a_lab_is_asked_what_was_recorded(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    on = Asking(tmp_path, TwoEdits(ONLY_FOR_MULTIPLES_OF_32))
    on.kernels = {**KERNELS, **MORE_KERNELS, **TURNS}
    await RUNS[name](on)
    lines = [line for line in on.asked.lines if name in VALUES_SHOWN or not line.startswith("case ")]
    lines = [*lines, *normal_lines(on.objects(), {str(tmp_path): "<work>"})]
    assert "\n".join(lines) + "\n" == snapshot(extension_class=Lines)


def _own(on: Commands, text: str) -> tuple[Source, ...]:
    return (Source(on.folder / "a.cu", text),)
