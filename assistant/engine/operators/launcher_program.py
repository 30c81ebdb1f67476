"""A candidate that is a launcher, as a program that calls it once on the task's own inputs: what searches, profiles and counters need.

Example::

    request = await as_program(job, pair, options, folder)      # of the candidate's file, with the program's other source
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from assistant.engine.job import Job
from assistant.engine.operators.orders import Where
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.operators.reference import given_inputs
from assistant.engine.operators.tracing import NO_TORCH, torch_of
from assistant.engine.request import JobRequest, OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.operators.call_program import Given, NoProgram, main_text
from assistant.operators.launcher import Launcher
from assistant.ports.lab import LabFailure

__all__ = ["as_program"]

_MAIN = "main.cu"
_MOST_BYTES = 1 << 30
"""Of inputs and weights together: every recording of a candidate has its own copy."""
_MOST_STORED_BYTES = 1 << 24
"""The most that is stored of a tensor, a multiple of every type's size: a larger tensor is filled by repeating it. PyTorch judges what is
offered on the whole tensor."""


async def as_program(job: Job, pair: OperatorPair, options: OperatorOptions, folder: Path) -> JobRequest | NoProgram | LabFailure:
    """``folder`` receives the program's ``main()`` and the values that it reads; the candidate's own file is the one in question."""
    launcher, source = pair.candidate.launcher, pair.candidate.source
    if launcher is None:
        return NoProgram(f"{source.path.name} has no launcher: the search works on a .cu file with an [operator] table")
    place = torch_of(job, pair.task)
    if place is None:
        return NO_TORCH
    scratch = job.scratch / "inputs"
    scratch.mkdir(exist_ok=True)
    sides = TorchSides(scratch, place, job.limits)
    try:
        answer = await given_inputs(job, pair.task, options, sides, Where(sizes=dict(options.sizes)))
    finally:
        await sides.close()
    if isinstance(answer, LabFailure):
        return answer
    text = await asyncio.to_thread(_written, launcher, source.text, answer, folder)
    if isinstance(text, NoProgram):
        return text
    return replace(
        job.request, file=source.path, working_directory=folder, extra_sources=(folder / _MAIN,), texts=(), other=None, kernel=None
    )


def _written(launcher: Launcher, text: str, answer: Mapping[str, Any], folder: Path) -> str | NoProgram:
    case, state = answer["cases"][0]["inputs"], answer["models"][0]["state"] | answer["models"][0]["constants"]
    values = list(zip((name for name, _ in launcher.inputs), case["items"], strict=True))
    values += [(name, state[weight]) for name, weight in launcher.weights]
    odd = next((name for name, saved in values if saved["kind"] not in ("tensor", "int", "bool", "float")), None)
    if odd is not None:
        return NoProgram(f"{odd} is neither a tensor nor a number")
    if sum(Path(saved["file"]).stat().st_size for _, saved in values if saved["kind"] == "tensor") > _MOST_BYTES:
        return NoProgram(f"its inputs and weights are larger than {_MOST_BYTES >> 20} MiB")
    made = main_text(launcher, text, list(_given(values)))
    if isinstance(made, NoProgram):
        return made
    folder.mkdir(parents=True, exist_ok=True)
    for name, saved in values:
        if saved["kind"] == "tensor":
            _store(Path(saved["file"]), folder / f"{name}.bin")
    (folder / _MAIN).write_text(made, "utf-8")
    return made


def _store(values: Path, place: Path) -> None:
    with values.open("rb") as whole:
        place.write_bytes(whole.read(_MOST_STORED_BYTES))


def _given(values: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Given]:
    for name, saved in values:
        if saved["kind"] == "tensor":
            is_whole = Path(saved["file"]).stat().st_size <= _MOST_STORED_BYTES
            stored = None if is_whole else _MOST_STORED_BYTES
            yield Given(name, PurePath(f"{name}.bin"), tuple(saved["shape"]), saved["dtype"], stored)
        else:
            value = saved["value"]
            yield Given(name, number=float.fromhex(value) if saved["kind"] == "float" else value)
