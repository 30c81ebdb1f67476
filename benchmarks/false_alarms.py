"""How often honest edits are refused or labelled: other orders of addition, fused multiply-adds, shuffles, online softmax, Welford.

Each pair of ``programs/honest_edits.cuh`` is judged both ways on fresh draws, four to a judgement as in a confirmation, and on every kind
of values that are chosen to tell. Example::

    python -m benchmarks.false_alarms 200
    python -m benchmarks.false_alarms 40 --types float --values normal --no-turned
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.engine import Job, JobRequest, SourceVersion, read_version
from assistant.engine.evaluate import Effort, JudgedCase, declared_cases
from assistant.engine.judge import PreparedCase, base_of, buffer_facts, original_runs, other_values, side_runs, task_of
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.verification import Outcome, Verification
from assistant.model.workload import AutoTolerance
from assistant.ports.lab import LabFailure, RunLimits
from assistant.verify.evidence import CaseEvidence, JudgeEvidence, SideRun
from assistant.verify.judge import judge
from assistant.verify.kinds import meaning_of
from assistant.workload.recordings import NewCase
from benchmarks.table import heading, row

_EDITS = Path(__file__).parent / "programs" / "honest_edits.cuh"
_TYPES = {
    "float": ("float", "float", "(x)", "(x)", "fmaf", "expf", "sqrtf"),
    "double": ("double", "double", "(x)", "(x)", "fma", "exp", "sqrt"),
    "half": ("__half", "float", "__half2float(x)", "__float2half(x)", "fmaf", "expf", "sqrtf"),
}
_NAMES = ("STORED", "REAL", "LOAD(x)", "STORE(x)", "FMA", "EXP", "SQRT")
_SHAPES = {"sum": (80, 1000), "total": (1, 20000), "matmul": (48, 64), "stencil": (40, 60)}
_USUAL_SHAPE = (80, 96)
_VALUES = {"normal": "randn", "positive": "rand"}
_PER_JUDGEMENT = 4


def _block(name: str, kernel: str, values: str) -> str:
    """How the kernel is launched; ``before`` and ``after`` kernels of one pair may need other grids."""
    rows, cols = _SHAPES.get(name, _USUAL_SHAPE)
    size = rows * cols
    second = {"dot": f', y = "{values}({cols})"', "matmul": f', b = "{values}({size})"'}.get(name, "")
    first = "a" if name == "matmul" else "x"
    counts = {"total": 1, "sum": rows, "dot": rows, "variance": rows, "matmul": rows * rows}
    integers = f"n = {size}" if name == "total" else f"rows = {rows}, cols = {cols}"
    by_point = {"stencil": ([-(-cols // 64), rows], 64), "matmul": ([-(-rows // 64), rows], 64), "total": ([1], 256)}
    grid, block = by_point.get(name, ([rows], 32) if kernel == "after_layernorm" else ([-(-rows // 64)], 64))
    arguments = f'out = "empty({counts.get(name, size)})", {first} = "{values}({size})"{second}, {integers}'
    return f"[workload.{kernel}]\nargs = {{ {arguments} }}\ngrid = {grid}\nblock = {block}\nboundary = false\n"


def _source(name: str, side: str, type_name: str, values: str) -> str:
    """One kernel of a pair, with its workload; preprocessed here, as types of parameters are read off the text."""
    meanings = _TYPES[type_name]
    text = _EDITS.read_text("utf-8")
    found = re.search(rf"^__global__ void {side}_{name}\(.*?^}}$", text, re.M | re.S)
    assert found is not None
    kernel = found[0].replace("STORED", meanings[0]).replace("REAL", meanings[1]).replace(f"{side}_{name}", "edited")
    macros = "#include <cuda_fp16.h>\n" + "".join(f"#define {macro} {said}\n" for macro, said in zip(_NAMES, meanings, strict=True))
    block = _block(name, f"{side}_{name}", values).replace(f"workload.{side}_{name}", "workload.edited")
    return f"{macros}/* kernelopt\n{block}*/\n{kernel}\n"


async def report(cache: Path, draws: int, types: Sequence[str], kinds: Sequence[str], is_turned_too: bool) -> None:
    """Prints a Markdown table, row by row. ``is_turned_too``: each edit is also judged the other way round."""
    names = re.findall(r"void before_(\w+)\(", _EDITS.read_text("utf-8"))
    print(heading("edit", "type", "values", "judgements", "FAIL", "labelled, by kind of values"))
    for name, type_name, label, is_turned in product(names, types, kinds, (False, True) if is_turned_too else (False,)):
        sides = ("after", "before") if is_turned else ("before", "after")
        counted = await _counted(cache, name, type_name, _VALUES[label], sides, draws)
        labelled = ", ".join(f"{kind} {count}" for kind, count in counted.items() if kind not in ("FAIL", "all")) or "none"
        print(row(f"{name} {' → '.join(sides)}", type_name, label, str(counted["all"]), str(counted["FAIL"]), labelled), flush=True)


async def _counted(cache: Path, name: str, type_name: str, values: str, sides: tuple[str, str], draws: int) -> Counter[str]:
    counted: Counter[str] = Counter(FAIL=0, all=0)
    with tempfile.TemporaryDirectory() as folder:
        lab = CpuLab(Path(folder), cache, "h200")
        try:
            job, subjects = _job(lab, Path(folder), [_source(name, side, type_name, values) for side in sides])
            for first in range(0, draws, _PER_JUDGEMENT):
                for verdict in await _judged(job, *subjects, tuple(range(first + 1, first + 1 + _PER_JUDGEMENT))):
                    counted["all"] += 1
                    counted["FAIL"] += verdict.outcome is Outcome.FAIL
                    counted.update(case.kind for case in verdict.cases if case.outcome is Outcome.NEEDS_DECISION)
        finally:
            await lab.close()
    return counted


def _job(lab: CpuLab, folder: Path, texts: Sequence[str]) -> tuple[Job, list[SourceVersion]]:
    subjects: list[SourceVersion] = []
    for index, text in enumerate(texts):
        path = folder / f"{index}.cu"
        path.write_text(text)
        subjects.append(read_version(JobRequest(path, folder), Flags()))
    known = architecture("sm_90")
    assert known is not None
    job = Job("J1", JobRequest(folder / "0.cu", folder), lab, target("h200"), known, folder, (1, 2, 3, 4, 5, 6), RunLimits())
    return job, subjects


async def _judged(job: Job, before: SourceVersion, after: SourceVersion, seeds: tuple[int, ...]) -> list[Verification]:
    """One verdict on the draws of ``seeds`` and on everything that is chosen to tell."""
    effort = Effort(seeds, 1, "plain", with_injected=False, with_boundary=False, is_confirming=True)
    cases = list(declared_cases(before, before.declared[0], effort))
    bases = [base_of(case, before.source.text, case_seeds) for case, case_seeds in zip(cases, ((seed,) for seed in seeds), strict=True)]
    other_cases = [made for base in bases for made in other_values(base, is_declared=True)]
    cases += [made for made in other_cases if (meaning := meaning_of(made.new.origin.kind)) is not None and meaning.is_numeric]
    prepared = await original_runs(job, before, cases, effort)
    if isinstance(prepared, LabFailure):
        raise SystemExit(prepared.message)
    ran = await side_runs(job, after, [task_of(case, _launched_as(case, after, effort), effort) for case in cases])
    if isinstance(ran, LabFailure):
        raise SystemExit(ran.message)
    evidence = tuple(_evidence(item, side, before.source.text) for item, side in zip(prepared, ran, strict=True))
    verdict = judge(JudgeEvidence(evidence, AutoTolerance(), is_declared=True))
    if not isinstance(verdict, Verification):
        raise SystemExit(verdict.reason)
    return [verdict]


def _launched_as(case: JudgedCase, after: SourceVersion, effort: Effort) -> NewCase:
    """The case with the other version's grid and block."""
    theirs = declared_cases(after, after.declared[0], effort)[0].new.recording.launches[0]
    launches = tuple(replace(launch, kernel=theirs.kernel, config=theirs.config) for launch in case.new.recording.launches)
    return replace(case.new, recording=replace(case.new.recording, launches=launches))


def _evidence(item: PreparedCase, ran: tuple[SideRun, ...], text: str) -> CaseEvidence:
    return CaseEvidence(
        origin=item.case.new.origin,
        kernel=item.case.kernel,
        buffers=buffer_facts(item.case, text),
        original=item.original,
        candidate=ran,
        reference=item.reference.values,
        reference_kind=item.reference.kind,
        perturbed=item.perturbed,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("draws", type=int, nargs="?", default=200)
    parser.add_argument("--types", nargs="*", default=tuple(_TYPES), choices=tuple(_TYPES))
    parser.add_argument("--values", nargs="*", default=tuple(_VALUES), choices=tuple(_VALUES))
    parser.add_argument("--no-turned", action="store_true", help="judge each edit one way only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        asyncio.run(report(Path(cache), options.draws, options.types, options.values, not options.no_turned))


if __name__ == "__main__":
    main()
