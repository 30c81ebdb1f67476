"""The performance model against launch times of a GPU: how far off it is, and its constants fitted on half of the programs.

    python -m benchmarks.model_fit join TIMES.csv FOLDER CARD   # what the model takes, next to what was measured: DATA
    python -m benchmarks.model_fit judge                        # errors and ranks of the model as it is, on both halves of DATA
    python -m benchmarks.model_fit worst                        # every kernel, the one furthest off first
    python -m benchmarks.model_fit error                        # edits of the judged half, as what the product says of its error
    python -m benchmarks.model_fit fit                          # the constants that suit the first half best, judged on both

TIMES.csv was written by ``benchmarks/gpu/launch_times.py``, FOLDER by ``benchmarks.model_data count``. Programs of the suite, not their
edits, are halved: every second in the order of their names; other programs are judged on alone. A kernel's factor is predicted / measured
or its inverse, whichever is larger; measured is the median of repeated launches. Ranks are Kendall's: of the pairs of a program's
candidates whose measured times differ by more than a fifth, those in the right order minus those in the wrong one / all.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from assistant.measure import calibration, predict, target_for_device
from assistant.measure.instructions import CLASSES, warp_instructions
from assistant.measure.scoring import ScoredPrediction
from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.device import Target
from assistant.model.profile import InstructionMix, LaunchProfile, LineAccess, LineInstructions
from assistant.serialize import decode, encode
from benchmarks.gpu.model import write_accuracy_module
from benchmarks.table import heading, row

__all__ = ["DATA", "Candidate", "Judged", "Measured", "candidates", "factor_within", "halves", "judged", "load"]

DATA = Path(__file__).parents[1] / "tests" / "data" / "model" / "h100.json.gz"
_HASH = re.compile(r"(_GLOBAL__N__)[0-9a-f]{8}")
"""In the names of what stands in an anonymous namespace: another one in each build."""
_EDIT = re.compile(r"(?P<kernel>\w+)-(?P<technique>[a-z-]+)-\d+-(?P<number>\d+)")
"""As ``benchmarks.model_data`` names an edit."""
_OTHERS = "zz-programs/"
"""Folder of programs that are not of the suite, without edits, each a program of its own: only judged on."""
_ORIGINAL = "original"
_METHOD = "CUPTI's time stamps, median of five launches, caches warm; driver 580.159.04 (CUDA 13.0), nvcc 13.0.88"
_CLEARLY = 1.2
"""Candidates whose times differ by less are not ranked."""
_AS_GOOD = 1.05
"""A first choice is right if its time is within this factor of the best candidate's."""
_ROUNDING = 1e-9
_LONG_S = 5e-6
_MOST_ERROR = math.log(4)
"""What is further off counts as much in the fit, so that what the model leaves out does not decide it."""


Counted = tuple[tuple[float, LaunchProfile, Occupancy | None], ...]


@dataclass(frozen=True)
class Measured:
    """A kernel of one candidate, launched with one shape."""

    program: str
    candidate: str
    kernel: str
    launches: int
    time_s: float
    counted: Counted
    """(how often, counters, occupancy); several where launches of this shape differ in what they do."""


@dataclass(frozen=True)
class Judged:
    measured: Measured
    predicted_s: float

    @property
    def factor(self) -> float:
        ratio = self.predicted_s / self.measured.time_s
        return max(ratio, 1 / ratio)


@dataclass(frozen=True)
class Candidate:
    """A version of a program, all its launches together."""

    program: str
    name: str
    time_s: float
    predicted_s: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.model_fit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("join", "judge", "worst", "error", "fit"))
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    if options.what == "join":
        times, folder, card = options.paths
        _join(Path(times), Path(folder), card)
        return
    target, kernels = load(DATA)
    if options.what == "fit":
        _fit(target, kernels)
    if options.what == "error":
        card = json.loads(gzip.decompress(DATA.read_bytes()))["card"].split(",")[0]
        write_accuracy_module(edits(target, kernels), card, _METHOD)
        return
    if options.what == "worst":
        _print_worst(target, kernels)
    else:
        print(_table(target, kernels))


def load(path: Path) -> tuple[Target, list[Measured]]:
    """The target that stands for the card, and every kernel of every candidate."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    target = target_for_device(data["card"].split(",")[0])
    assert target is not None, f"no target for {data['card']}"
    return target, [_measured(found) for found in data["kernels"]]


def _measured(found: dict[str, Any]) -> Measured:
    program, _, candidate = found["program"].rpartition("/")
    counted = tuple(
        (one["count"], decode(LaunchProfile, one["profile"]), decode(Occupancy, one["occupancy"]) if one["occupancy"] else None)
        for one in found["counted"]
    )
    return Measured(program, candidate, found["kernel"], found["launches"], found["median_ns"] * 1e-9, counted)


def halves(kernels: Sequence[Measured]) -> tuple[frozenset[str], frozenset[str]]:
    """Programs of the suite that constants are fitted on, and those that they are judged on."""
    names = sorted({kernel.program for kernel in kernels if not kernel.program.startswith(_OTHERS)})
    return frozenset(names[::2]), frozenset(names[1::2])


def judged(target: Target, kernels: Iterable[Measured]) -> list[Judged]:
    return [Judged(kernel, _predicted_s(target, kernel)) for kernel in kernels]


def _predicted_s(target: Target, kernel: Measured) -> float:
    launches = sum(count for count, *_ in kernel.counted)
    return sum(count * _prediction(target, profile, occupancy).time_s for count, profile, occupancy in kernel.counted) / launches


def _prediction(target: Target, profile: LaunchProfile, occupancy: Occupancy | None) -> PredictedTime:
    return predict(profile, None, occupancy, target)


def candidates(items: Iterable[Judged]) -> list[Candidate]:
    """Versions of programs by the sums of their launches."""
    of_version: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for item in items:
        of_version[item.measured.program, item.measured.candidate].append(item)
    return [
        Candidate(*name, sum(i.measured.launches * i.measured.time_s for i in own), sum(i.measured.launches * i.predicted_s for i in own))
        for name, own in of_version.items()
    ]


def edits(target: Target, kernels: Sequence[Measured]) -> list[ScoredPrediction]:
    """Of the programs that no constant was fitted on: each edit against what it edits, by the launches in which both differ. What is hardly
    changed, as measured and as predicted, says nothing of the model."""
    of_version: dict[tuple[str, str], dict[tuple[str, Counted], Judged]] = defaultdict(dict)
    for item in judged(target, [kernel for kernel in kernels if kernel.program in halves(kernels)[1]]):
        kernel = item.measured
        of_version[kernel.program, kernel.candidate][kernel.kernel, kernel.counted] = item
    scored = list[ScoredPrediction]()
    for (program, name), after in of_version.items():
        before = of_version.get((program, name.rpartition("+")[0] or _ORIGINAL), {})
        sides = [[side[key] for key in side if key not in other] for side, other in ((before, after), (after, before))]
        if name != _ORIGINAL and all(sides):
            predicted, measured = (_ratio(sides, of) for of in (lambda one: one.predicted_s, lambda one: one.measured.time_s))
            costliest = max(sides[0], key=lambda one: one.measured.launches * one.predicted_s).measured
            scored.append(ScoredPrediction(_prediction(target, *costliest.counted[0][1:]).bottleneck, predicted, measured, program))
    return [one for one in scored if max(abs(math.log(one.predicted_ratio)), abs(math.log(one.measured_ratio))) > math.log(_AS_GOOD)]


def _ratio(sides: Sequence[Sequence[Judged]], time_s: Callable[[Judged], float]) -> float:
    old, new = (sum(one.measured.launches * time_s(one) for one in side) for side in sides)
    return old / new


def _join(times: Path, folder: Path, card: str) -> None:
    """Programs of which every kernel was both timed and counted."""
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for found in csv.DictReader(times.read_text("utf-8").splitlines()):
        rows[found["program"]].append(found)
    kernels: list[dict[str, Any]] = []
    left_out: list[str] = []
    known = _Known(folder, rows)
    for program, found in rows.items():
        joined = [known.joined(program, one) for one in found]
        if all(one["counted"] for one in joined):
            kernels += joined
        else:
            left_out.append(program)
    text = json.dumps({"card": card, "kernels": kernels}, separators=(",", ":"))
    DATA.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(kernels)} kernels of {len(rows) - len(left_out)} candidates; not counted: {left_out}")


Key = tuple[str, str, str]


def _counted(path: Path) -> Mapping[Key, list[dict[str, Any]]]:
    found: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    for launch in json.loads(gzip.decompress(path.read_bytes())) if path.exists() else ():
        profile = decode(LaunchProfile, launch["profile"])
        symbol = decode(KernelResources, launch["resources"]).symbol if launch["resources"] else profile.kernel
        grid, block = (f"{dim.x} {dim.y} {dim.z}" for dim in (profile.config.grid, profile.config.block))
        one = {"count": launch["count"], "profile": encode(_bare(profile)), "occupancy": launch["occupancy"]}
        found[_HASH.sub(r"\1", symbol), grid, block].append(one)
    return found


class _Known:
    """What was counted of all candidates. A kernel that a candidate does not edit, or edits as another one does, has that one's counts."""

    def __init__(self, folder: Path, programs: Iterable[str]) -> None:
        self._own = {program: _counted(folder / program / "counted.json.gz") for program in programs}
        self._like: dict[tuple[str, Key, tuple[str, ...]], list[dict[str, Any]]] = {}
        for program, counted in self._own.items():
            for key, launches in counted.items():
                self._like.setdefault(_source_of(program, key), launches)

    def joined(self, program: str, found: dict[str, str]) -> dict[str, Any]:
        key = (_HASH.sub(r"\1", found["kernel"]), found["grid"], found["block"])
        counted = self._own[program].get(key) or self._like.get(_source_of(program, key), [])
        numbers = {name: int(found[name]) for name in ("launches", "first_ns", "least_ns", "median_ns", "most_ns", "repeated")}
        return {"program": program, "kernel": key[0], **numbers, "counted": counted}


def _source_of(program: str, key: Key) -> tuple[str, Key, tuple[str, ...]]:
    """(program, kernel and shape, the kernel's edits without their lines)."""
    name, _, candidate = program.rpartition("/")
    edits = [found for found in map(_EDIT.fullmatch, candidate.split("+")) if found]
    return name, key, tuple(f"{edit['technique']} {edit['number']}" for edit in edits if f"{len(edit['kernel'])}{edit['kernel']}" in key[0])


def _bare(profile: LaunchProfile) -> LaunchProfile:
    """What a prediction takes of it."""
    totals = warp_instructions(profile)
    mix = InstructionMix(**{name: round(totals.of(name)) for name in CLASSES})
    return replace(
        profile,
        accesses=tuple(_bare_access(access) for access in profile.accesses),
        instructions=(LineInstructions("", 0, InstructionMix(), mix),) if profile.instructions else (),
        executions=(), sites=(), blocks=(), problems=(), stalls=(), file="",
    )  # fmt: skip


def _bare_access(access: LineAccess) -> LineAccess:
    return replace(access, file=Path(access.file).name, grade_reason="")


def _table(target: Target, kernels: Sequence[Measured]) -> str:
    fitted_on, judged_on = halves(kernels)
    items = judged(target, kernels)
    lines = [heading("programs", "kernels", "median factor", "nine in ten within", "kernels ≥ 5 µs", "median factor", "nine in ten within",
                     "pairs ranked", "Kendall's", "first choices right")]  # fmt: skip
    every = {kernel.program for kernel in kernels}
    others = every - fitted_on - judged_on
    for name, programs in (("fitted on", fitted_on), ("judged on", judged_on), ("not of the suite", others), ("all", every)):
        own = [item for item in items if item.measured.program in programs]
        versions = candidates(own)
        pairs = list(_pairs(versions))
        right, of = _first_choices(versions)
        rank = sum(pairs) / len(pairs) if pairs else math.nan
        lines.append(row(name, *_errors(own), *_errors([i for i in own if i.measured.time_s >= _LONG_S]), f"{len(pairs)}", f"{rank:.2f}",
                         f"{right} of {of}"))  # fmt: skip
    return "\n".join(lines)


def _errors(items: Sequence[Judged]) -> tuple[str, str, str]:
    kernels = {_kernel_of(item.measured) for item in items}
    return f"{len(kernels)}", f"{factor_within(items, 0.5):.2f}", f"{factor_within(items, 0.9):.2f}"


def factor_within(items: Sequence[Judged], share: float) -> float:
    """That ``share`` of the kernels are predicted within; one that several candidates of a program have counts once, in parts."""
    counts = Counter(_kernel_of(item.measured) for item in items)
    left = share * len(counts)
    for item in sorted(items, key=lambda item: item.factor):
        left -= 1 / counts[_kernel_of(item.measured)]
        if left <= _ROUNDING:
            return item.factor
    return math.nan


def _kernel_of(kernel: Measured) -> tuple[str, str]:
    return kernel.program, kernel.kernel


def _pairs(versions: Iterable[Candidate]) -> Iterator[int]:
    """1 for each pair of a program's candidates in the right order, −1 for each in the wrong one, 0 where both are predicted alike."""
    for own in _by_program(versions).values():
        for one, other in combinations(own, 2):
            if max(one.time_s, other.time_s) > _CLEARLY * min(one.time_s, other.time_s):
                difference = one.predicted_s - other.predicted_s
                yield 0 if not difference else 1 if (difference > 0) == (one.time_s > other.time_s) else -1


def _first_choices(versions: Iterable[Candidate]) -> tuple[int, int]:
    """Programs with a choice, and those of which the candidate predicted fastest is as good as the fastest."""
    programs = [own for own in _by_program(versions).values() if len(own) > 1]
    right = sum(min(own, key=lambda one: one.predicted_s).time_s <= _AS_GOOD * min(one.time_s for one in own) for own in programs)
    return right, len(programs)


def _by_program(versions: Iterable[Candidate]) -> Mapping[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    for version in versions:
        found[version.program].append(version)
    return found


def _print_worst(target: Target, kernels: Sequence[Measured]) -> None:
    fitted_on, _ = halves(kernels)
    for item in sorted(judged(target, kernels), key=lambda item: -item.factor):
        kernel = item.measured
        terms = sorted(_prediction(target, *kernel.counted[0][1:]).terms, key=lambda term: -term.time_s)
        times = " ".join(f"{term.name} {term.time_s * 1e6:.2f}" for term in terms[:5])
        half = "fitted" if kernel.program in fitted_on else "judged"
        print(f"{half} {kernel.program}/{kernel.candidate} {kernel.kernel}: {kernel.time_s * 1e6:.2f} µs measured, "
              f"{item.predicted_s * 1e6:.2f} predicted: {times}")  # fmt: skip


_FITTED: dict[str, tuple[float, float]] = {
    "LAUNCH_S": (0.5e-6, 2e-6),
    "L2_LATENCY_RATIO": (0.3, 0.72),
    "MAX_LOADS_IN_FLIGHT": (6, 16),
    "DEPENDENT_SPECIAL_CLOCKS": (4, 40),
    "DEPENDENT_CONTROL_CLOCKS": (4, 20),
    "DEPENDENT_ACCESS_CLOCKS": (2, 6),
    "L1_TAGS_PER_CLOCK": (1, 4),
}
"""Constants of ``assistant.measure.calibration`` and what physics leaves to them."""
_ROUNDS = 8


def _fit(target: Target, kernels: Sequence[Measured]) -> None:
    """One constant after the other is moved while that lowers the mean error on the first half."""
    fitted_on, _ = halves(kernels)
    own = [kernel for kernel in kernels if kernel.program in fitted_on]
    counts = Counter(map(_kernel_of, own))

    def error() -> float:
        return sum(min(_MOST_ERROR, math.log(item.factor)) / counts[_kernel_of(item.measured)] for item in judged(target, own))

    best, steps = error(), dict.fromkeys(_FITTED, 0.2)
    for _ in range(_ROUNDS):
        for name, (least, most) in _FITTED.items():
            before = getattr(calibration, name)
            for factor in (math.exp(steps[name]), math.exp(-steps[name])):
                setattr(calibration, name, min(most, max(least, (before or 0.1) * factor)))
                now = error()
                if now < best - 1e-6:
                    best = now
                    steps[name] *= 1.3
                    break
                setattr(calibration, name, before)
            else:
                steps[name] /= 2
    print(f"mean error on the first half: a factor of {math.exp(best / len(counts)):.3f}")
    for name in _FITTED:
        print(f"{name} = {getattr(calibration, name):.3g}")


if __name__ == "__main__":
    main()
