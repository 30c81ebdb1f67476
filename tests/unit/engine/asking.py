"""Comparisons on labs that keep what they are asked: programs, what their kernels compute, and the lines that a test compares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from assistant.engine.request import JobRequest
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedArgument, RecordedLaunch, Upload
from assistant.model.workload import CaseKey
from assistant.ports.lab import Lab
from assistant.workload.recordings import NewCase, blob_name
from tests.contracts.fake_lab import Behaviour
from tests.normal_events import normal_lines
from tests.unit.engine.asked import Alter, Asked, AskedLab, Refuse
from tests.unit.engine.commands import KERNELS, PROGRAMS, Commands
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, WORKLOAD, TwoEdits
from tests.unit.engine.test_commands import SCALE
from tests.unit.engine.test_search import KERNELS as TURNS
from tests.unit.workload.launches import launched

__all__ = [
    "ADD",
    "BOUNDED",
    "COUNT",
    "FEW",
    "FRESH",
    "GATHER",
    "GENERAL",
    "HALF",
    "LARGE",
    "LARGE_SLOW",
    "WEIGHED",
    "Asking",
    "Lines",
    "Run",
    "X",
    "asked_of",
    "compares",
]

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


class Lines(SingleFileSnapshotExtension):
    """A file for each run: what the lab was asked, then what was reported."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


async def asked_of(run: Run, folder: Path, are_values_shown: bool = False) -> str:
    """What a lab is asked and what is reported, in lines. ``are_values_shown``: cases one by one, else only which are asked for."""
    on = Asking(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32))
    on.kernels = {**KERNELS, **MORE_KERNELS, **TURNS}
    await run(on)
    lines = [line for line in on.asked.lines if are_values_shown or not line.startswith("case ")]
    return "\n".join([*lines, *normal_lines(on.objects(), {str(folder): "<work>"})]) + "\n"
