"""Cases as the emulator of a GPU's lab is given them: with some blocks of what is too large for it (``workload.emulated_blocks``).

Example::

    shown_cases(cases, scratch / "in-part")       # a case each, or why the emulator runs none of it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.model.recording import Recording
from assistant.model.workload import Case
from assistant.serialize import dumps
from assistant.workload.emulated_blocks import emulated_part, with_fewest_blocks
from assistant.workload.recordings import read_recording

__all__ = ["fewest_blocks", "most_bytes", "shown_cases"]


def shown_cases(cases: Sequence[Case], folder: Path) -> list[Case | str]:
    """In order. ``folder`` receives the recordings of those that are shown in part; their contents stay where they are."""
    recordings: dict[Path, Recording] = {}
    shown: list[Case | str] = []
    for number, case in enumerate(cases):
        recording = recordings.setdefault(case.recording, read_recording(case.recording))
        part = emulated_part(recording, case.launches, is_own_size=case.origin.is_own_size)
        if isinstance(part, str) or part is recording:
            shown.append(part if isinstance(part, str) else case)
            continue
        shown.append(_written(case, part, folder / f"case-{number}"))
    return shown


def most_bytes(cases: Sequence[Case]) -> int:
    """Of all buffers that the launches of one case reach, the most of any."""
    recordings = {case.recording: read_recording(case.recording) for case in cases}
    found: list[int] = []
    for case in cases:
        recording = recordings[case.recording]
        launches = (launch for launch in recording.launches if launch.index in case.launches)
        reached = {state.buffer for launch in launches for state in launch.buffers}
        found.append(sum(buffer.size_bytes for buffer in recording.buffers if buffer.id in reached))
    return max(found, default=0)


def fewest_blocks(cases: Sequence[Case], count: int, folder: Path) -> list[Case | None]:
    """The cases with so few blocks each, for those that the emulator did not come to the end of; None where no fewer can run."""
    found: list[Case | None] = []
    for number, case in enumerate(cases):
        part = with_fewest_blocks(read_recording(case.recording), case.launches, count)
        found.append(None if part is None else _written(case, part, folder / f"fewest-{count}-{number}"))
    return found


def _written(case: Case, recording: Recording, place: Path) -> Case:
    place.mkdir(parents=True, exist_ok=True)
    (place / "blobs").symlink_to((case.recording / "blobs").resolve(), target_is_directory=True)
    (place / "recording.json").write_text(dumps(recording), "utf-8")
    return replace(case, recording=place)
