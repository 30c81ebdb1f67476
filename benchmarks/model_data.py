"""Programs, the expert planner's edits of them, and what the emulator counts of all: what the performance model is fitted on.

    python -m benchmarks.model_data write FOLDER [--sizes 2] [NAME …]   # programs of the suite and their edits, a folder each
    python -m benchmarks.model_data add FOLDER FILE.cu …    # programs of one file and without arguments, as they are
    python -m benchmarks.model_data count FOLDER    # what each launches and executes, as counted.json.gz in its folder

Nothing is judged: an edit may be wrong, which its time does not tell. ``benchmarks/gpu/launch_times.py`` times what `write` made;
``benchmarks/model_fit.py`` holds one against the other.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.bench.selection import TaskChoice, chosen_tasks
from assistant.bench.task import Task
from assistant.cuda.edits import EditFailure
from assistant.engine import DONE, UNHEARD, Ending, Job, JobRequest, JobRunner, OptimizeOptions, SourceVersion, edited_sources
from assistant.engine.evaluate import Evaluation, KernelAssessment, evaluate
from assistant.engine.search import NOTHING_EARLIER, PlanRequests, SearchNode
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.lab import LabFailure
from assistant.serialize import encode

_SUITE = Path(__file__).parent / "suite"
_VARIANTS = 4
"""Of one step's edits, the best first."""
_ORIGINAL = "original"
_ON = "+"
"""Between the names of an edit and of the edit of its result."""
_KERNELS = 3
"""Of one program, the costliest first."""
_LIMIT_S = 240.0


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks.model_data", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("write", "add", "count"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="programs of the suite, none: all; or files")
    parser.add_argument("--sizes", default="2")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.what == "write":
        for task in chosen_tasks(_SUITE, TaskChoice(tuple(options.names), options.sizes)).tasks:
            _write(task, folder)
    elif options.what == "add":
        for path in map(Path, options.names):
            original = folder / f"{path.parent.name}-{path.stem}" / "original"
            original.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, original)
            _write_run(original, (path.name,), ())
    else:
        for run in sorted(folder.rglob("run.json"), key=lambda run: ("block-size" in run.parent.name, run)):
            if not (run.parent / "counted.json.gz").exists():
                _in_job(run.parent, _planned_from(run.parent) if _is_first_edit(run.parent.name) else _counted_into(run.parent))


def _write(task: Task, folder: Path) -> None:
    place = folder / "-".join((task.name, *task.arguments))
    original = place / _ORIGINAL
    if original.exists():
        return
    original.mkdir(parents=True)
    root = task.files[0].parent
    if root == Path():
        shutil.copy(_SUITE / task.files[0], original)
    else:
        shutil.copytree(_SUITE / root, original, dirs_exist_ok=True)
    _write_run(original, tuple(str(file.relative_to(root)) for file in task.files), task.arguments)
    _in_job(original, _planned_from(original))


def _is_first_edit(name: str) -> bool:
    return name != _ORIGINAL and _ON not in name


def _write_run(folder: Path, files: tuple[str, ...], arguments: tuple[str, ...]) -> None:
    (folder / "kernelopt.toml").touch()
    (folder / "run.json").write_text(json.dumps({"files": files, "arguments": arguments}), "utf-8")


Use = Callable[[Job, Evaluation], Awaitable[None]]


def _in_job(folder: Path, use: Use) -> None:
    """The program of ``folder``, evaluated by the emulator."""
    start_s, said = time.monotonic(), "ok"
    run = json.loads((folder / "run.json").read_text("utf-8"))
    paths = tuple(folder / file for file in run["files"])
    request = JobRequest(paths[0], folder, paths[1:], device="cpu", arguments=tuple(run["arguments"]))
    cache = Path.home() / ".cache/kernelopt"
    store = open_store(folder.parent / "memory.sqlite3")

    async def body(job: Job, version: SourceVersion) -> Ending:
        nonlocal said
        evaluation = await evaluate(job, version)
        if isinstance(evaluation, LabFailure):
            said = evaluation.message
        else:
            await use(job, evaluation)
        return Ending(DONE, "")

    async def limited() -> None:
        async with asyncio.timeout(_LIMIT_S):
            await JobRunner(lambda: store, lambda _, scratch, target: CpuLab(scratch, cache, target, (), None), "bench").run(
                "profile", request, body, UNHEARD
            )

    try:
        asyncio.run(limited())
    except TimeoutError:
        said = "no end in time"
    finally:
        store.close()
    print(f"{folder.parent.name}/{folder.name}: {said}, {time.monotonic() - start_s:.0f} s", flush=True)


def _planned_from(folder: Path) -> Use:
    """Writes the edits of the version in ``folder`` next to it."""

    async def use(job: Job, evaluation: Evaluation) -> None:
        _write_counted(folder, evaluation)
        store = open_store(folder.parent / "plans.sqlite3")
        catalogue = own_catalogue()
        planner = ExpertPlanner(catalogue, EXPERT_TRANSFORMATIONS)
        requests = PlanRequests(job, OptimizeOptions(), store, catalogue, folder.parent, NOTHING_EARLIER)
        for item in sorted(evaluation.assessment.kernels, key=lambda item: -item.predicted_time_s)[:_KERNELS]:
            about = evaluation.version.about(item.kernel)
            request = requests.request(SearchNode(replace(evaluation, version=about)), (item,), ())
            plan = await planner.plan(request)
            for step in plan.steps:
                rewrites = [rewrite async for rewrite in planner.rewrites(request, step)]
                for number, rewrite in enumerate(rewrites[:_VARIANTS]):
                    made = edited_sources(about, rewrite)
                    if not isinstance(made, EditFailure):
                        _write_edit(folder, f"{item.kernel.name}-{step.technique}-{step.line}-{number}", made)
        store.close()

    return use


def _write_edit(before: Path, name: str, made: tuple[Source, ...]) -> None:
    edit = before.parent / (name if before.name == _ORIGINAL else f"{before.name}{_ON}{name}")
    shutil.copytree(before, edit, ignore=shutil.ignore_patterns("counted.json.gz"), dirs_exist_ok=True)
    for source in made:
        (edit / source.path.relative_to(before)).write_text(source.text, "utf-8")


def _counted_into(folder: Path) -> Use:
    async def use(_: Job, evaluation: Evaluation) -> None:
        _write_counted(folder, evaluation)

    return use


def _write_counted(folder: Path, evaluation: Evaluation) -> None:
    found = [launch for item in evaluation.assessment.kernels for launch in _launches(item)]
    (folder / "counted.json.gz").write_bytes(gzip.compress(json.dumps(found).encode(), mtime=0))


def _launches(item: KernelAssessment) -> list[dict[str, Any]]:
    return [
        {
            "kernel": item.kernel.name,
            "instance": item.instance,
            "count": launch.count,
            "profile": encode(launch.profile),
            "resources": encode(item.resources),
            "occupancy": encode(launch.occupancy),
        }
        for launch in item.launches
    ]


if __name__ == "__main__":
    main()
