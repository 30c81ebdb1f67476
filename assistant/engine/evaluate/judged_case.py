"""One case that versions are run on, and how thoroughly they are. Values, and the files that labs read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.cuda.struct_layouts import layout_named
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Parameter
from assistant.model.structs import ElementLayout
from assistant.model.workload import Case
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.workload.recordings import NewCase, write_case
from assistant.workload.resize import SizeModel
from assistant.workload.select import LaunchPair

__all__ = ["CONFIRM_REPEATS", "Effort", "JudgedCase", "Resize", "layouts_of", "write_cases"]

CONFIRM_REPEATS = 20
"""Bitwise repeats of a confirmation."""


class Effort(Record):
    """How thoroughly one comparison is judged."""

    seeds: tuple[int, ...]
    repeats: int
    mode: str
    """Replay mode: ``plain`` or ``check``."""
    with_boundary: bool
    is_confirming: bool
    is_fresh: bool = False
    """The runs begin in processes that have run no version before."""
    checks_blocks: bool = False
    """Launches that are too large for the emulator are checked on some of their blocks: a GPU runs them whole."""


class Resize(Record):
    """How a recorded launch came to other sizes."""

    model: SizeModel
    sizes: tuple[tuple[str, int], ...]
    """The integers that are passed."""
    is_whole: bool = True
    """Buffers follow from them as the grid does; False: only the integers were changed."""


class JudgedCase(Record):
    """One case of the original."""

    new: NewCase
    kernel: str
    """``Kernel.key`` of the first launch's kernel."""
    parameters: tuple[tuple[Parameter, ...], ...]
    """Per launch, template arguments filled in."""
    buffer_names: tuple[tuple[int, str], ...]
    scratch: frozenset[str]
    launch_index: int | None
    """Launch of A's recording that it was made from; None when declared."""
    further_kernels: tuple[str, ...] = ()
    """Keys of the kernels launched after ``kernel``."""
    given: tuple[tuple[int, bytes], ...] = ()
    """(buffer id, float64 values) that the user's own function returned for this very case; live cases only."""
    repeats: int = 1
    """Runs that are compared to the bit."""
    is_checked: bool = True
    """It is also run with every check on, where the job asks for checks."""
    checked: SideRun | None = None
    """The original's run with every check on, where it was made already when the case was tried."""
    launch_text: str | None = None
    """The text whose first line says the launch, where one does; live cases only."""
    iterations: float = 0.0
    """How often a thread of the original runs the line that it runs most often: its sums have about so many terms. 0: not known."""
    unread: frozenset[int] = frozenset()
    """Ids of buffers that nothing else in the program looks at (``unread_buffers``)."""
    only_stored: frozenset[int] = frozenset()
    """Ids of buffers that the kernel's text stores to and never loads: what they held before is no input."""
    own_grid: Dim3 | None = None
    """For a case with fewer blocks: the launch's own grid."""
    recorded_config: LaunchConfig | None = None
    """For a case with fewer blocks: how the program starts the kernel; a candidate that is started otherwise is not tried with fewer."""
    resize: Resize | None = None
    """For a launch at a size of our own, whose grid follows from the integers passed; None: the candidate's grid is as recorded."""

    def pair_in(self, pairs: Sequence[LaunchPair]) -> LaunchPair | None:
        """The candidate's launch in the place of the one that the case was made from; None where there is none."""
        return next((pair for pair in pairs if pair.a_index == self.launch_index), None)


def layouts_of(case: NewCase, text: str) -> dict[int, ElementLayout]:
    """Layouts of the buffers that hold structs which the original's ``text`` defines."""
    found = {buffer.id: layout_named(text, buffer.element_type) for buffer in case.recording.buffers}
    return {buffer: layout for buffer, layout in found.items() if layout is not None}


def write_cases(folder: Path, cases: Sequence[NewCase]) -> tuple[Case, ...]:
    """The cases on disk, one folder each; equal contents of all cases of a job are one file."""
    shared = folder.parent / "blobs"
    return tuple(write_case(folder / f"case-{index}", case, shared) for index, case in enumerate(cases))
