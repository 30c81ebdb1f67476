"""The launch of bound arrays as a text of their kernel gives it: the first line of a notebook cell's text says it.

Sizes in it are the kernel's integer parameters; a text that the arrays were not bound with is followed only where the one that they were
bound with says exactly the launch that is there. Example::

    own_launch(launch, parameters, bound=cell, text=candidate)    # the launch with 64 x 16 threads, where the candidate says so
    with_own_launch(folder, launch)                               # a folder that replays it
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assistant.cuda.embedded.cell_launch import CellLaunch, launch_in
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedLaunch
from assistant.model.source import Parameter
from assistant.serialize import dumps
from assistant.workload.expressions import evaluate_count
from assistant.workload.recordings import RecordingReader, RecordingWriter
from assistant.workload.scalars import scalars_of

__all__ = ["config_at", "own_launch", "with_own_launch"]

_MOST_THREADS = 1024
"""Threads of a block (CUDA C++ Programming Guide, "Compute Capabilities")."""


def own_launch(launch: RecordedLaunch, parameters: tuple[Parameter, ...], bound: str | None, text: str) -> RecordedLaunch | None:
    """``launch`` with the grid, block and shared memory that ``text`` gives; None where they are not known.

    ``bound``: the text that the arrays were bound with; None where no other text can give another launch.
    """
    before, said = launch_in(bound or ""), launch_in(text)
    if before == said:
        return launch
    if before is None or said is None:
        return None
    sizes = {scalar.name: scalar.value for scalar in scalars_of(launch, parameters, lambda spelled: None)}
    config = config_at(said, sizes)
    is_as_said = config_at(before, sizes) == launch.config and not launch.chosen_blocks and launch.blocks_run is None
    return replace(launch, config=config) if config is not None and is_as_said else None


def with_own_launch(folder: Path, launch: RecordedLaunch) -> Path:
    """A recording of the one launch in ``folder``, started as ``launch`` is; made where it is another one."""
    recording = RecordingReader(folder).recording
    if launch == recording.launches[0]:
        return folder
    name = hashlib.sha256(f"{launch.kernel} {dumps(launch.config)}".encode()).hexdigest()[:16]
    made = folder / "launched" / name
    if not (made / "recording.json").is_file():
        RecordingWriter(made, folder / "blobs").write(replace(recording, launches=(launch,)))
    return made


def config_at(launch: CellLaunch, sizes: Mapping[str, int]) -> LaunchConfig | None:
    """What a cell's line comes to at these values of the parameters; None where nothing can be launched so."""
    grid, block = _dim3(launch.grid, sizes), _dim3(launch.block, sizes)
    shared_bytes = evaluate_count(launch.shared, sizes, "shared")
    if grid is None or block is None or not isinstance(shared_bytes, int) or block.count > _MOST_THREADS:
        return None
    return LaunchConfig(grid, block, shared_bytes)


def _dim3(items: tuple[str, ...], sizes: Mapping[str, int]) -> Dim3 | None:
    counts = [count for item in items if isinstance(count := evaluate_count(item, sizes, "launch"), int) and count > 0]
    return Dim3(*counts) if len(counts) == len(items) else None
