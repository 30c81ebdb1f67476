"""``%%kernelopt --capture``: a cell's Python is run with its launches recorded, and one kernel of it goes on like a CUDA cell.

The Python runs where it always does, in the user's process on their GPU. Example::

    capturing.record(code, lambda: front.run_python(body))         # CellRecording(captured, texts, messages)
    capturing.subject(recorded, None, code, notebook, cell_id)     # which kernel goes on, as a cell
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from assistant.config import DEFAULT_LAUNCH_BYTES, find_workspace, load_settings
from assistant.cuda.match import select_kernels
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.gpus import NoGpu, list_gpus
from assistant.live.captured import CellCapture
from assistant.live.cupy_blocks import ArrayBlocks
from assistant.live.recording import CannotRecord, InProcess
from assistant.live.sources import KnownText, declined_reasons, known_texts, text_of
from assistant.live.torch_blocks import TensorBlocks
from assistant.model.recording import Recording
from assistant.ports.lab import LabFailure
from assistant.record import Record
from assistant.workload.select import kernel_name
from assistant.workload.signature import signature_of
from jupyter_ext.cells import Cell, captured_cell
from jupyter_ext.opening import MagicLine
from jupyter_ext.workshop import Workshop

__all__ = ["CellRecorder", "CellRecording", "Subject", "captured_option"]

_LIBRARYS_OWN = "it is a library's own kernel"
"""As the recording library says it (``device/capture/inject/recorder.cpp``)."""
_BY_HAND = "without a GPU put the kernel's text into a cell: %%kernelopt --args x=x,… --grid … --block … runs it in the emulator"


class CellRecording(Record):
    """What one cell launched, and the texts that its kernels may be of."""

    captured: CellCapture
    texts: tuple[KnownText, ...]
    messages: tuple[str, ...]
    """For people: what was launched, where each text is, what was left out."""


class Subject(Record):
    """The kernel that goes on."""

    cell: Cell
    selector: str
    """Names the instance in the cell's text."""


class Notebook(Protocol):
    """What of a front end is asked."""

    @property
    def namespace(self) -> Mapping[str, object]: ...

    def earlier_cells(self) -> Sequence[str]:
        """Their texts, newest first."""
        ...


class CellRecorder:
    """Records cells of a notebook."""

    def __init__(self, workshop: Workshop, notebook: Notebook) -> None:
        self._workshop = workshop
        self._notebook = notebook
        self._library: InProcess | None = None

    def record(self, code: str, run: Callable[[], bool]) -> CellRecording:
        """``run``: the cell's Python; whether it came to its end. Raises CannotRecord before it is run, UsageError where it fails."""
        device = _gpu_name()
        library = self._loaded()
        folder = Path(tempfile.mkdtemp(prefix="captured-", dir=self._workshop.scratch))
        raw = folder / "raw"
        (raw / "0").mkdir(parents=True)
        library.begin(raw / "0", load_settings(find_workspace(Path.cwd())).settings.limits.launch_bytes or DEFAULT_LAUNCH_BYTES)
        try:
            tensors = TensorBlocks()
            try:
                arrays = ArrayBlocks()
                try:
                    has_ended = run()
                finally:
                    of_arrays = arrays.end()
            finally:
                of_tensors = tensors.end()
        finally:
            library.end()
        if not has_ended:
            shutil.rmtree(folder, ignore_errors=True)
            raise UsageError("nothing was recorded: the cell's Python failed, as shown above", "fix it and run the cell again")
        texts = known_texts(code, self._notebook.earlier_cells(), self._notebook.namespace)
        work = self._workshop.recorder.collect(raw, folder / "recording", tuple(text.text for text in texts))
        recording = self._workshop.loop.wait(work)
        if isinstance(recording, LabFailure):
            raise CannotAnswerError(recording.message, recording.remedy)
        captured = CellCapture(folder / "recording", recording, (*of_tensors, *of_arrays), device)
        return CellRecording(captured, texts, tuple(_messages(captured, texts, declined_reasons(code))))

    def subject(
        self, recorded: CellRecording, selector: str | None, code: str, notebook: Path, cell_id: str | None
    ) -> Subject | str | None:
        """The named kernel, else the only one whose text is known; what to do where there are several; None where there is none.

        Raises UsageError for a name of which nothing was recorded.
        """
        launched = dict.fromkeys(launch.kernel for launch in recorded.captured.recording.launches)
        known = [(name, text) for name in launched if (text := text_of(recorded.texts, name)) is not None]
        if selector is not None:
            known = [(name, text) for name, text in known if _means(text, selector, name)]
            if not known:
                reason = f"no launch of {selector} was recorded whose text is known"
                raise UsageError(reason, f"put it into a cell that begins with %%kernelopt {selector}: it is bound to what was recorded")
        if len({(text.text, kernel_name(name)) for name, text in known}) != 1:
            names = ", ".join(dict.fromkeys(kernel_name(name) for name, _ in known))
            return f"name the one to go on with, of {names}: %%kernelopt NAME --capture" if known else None
        instance, text = known[0]
        kernel = text.kernel(instance)
        assert kernel is not None, "it was found by it"
        chosen = signature_of(kernel, instance).instance
        return Subject(captured_cell(code, text.embedded, text.text, chosen, notebook, cell_id), chosen)

    def _loaded(self) -> InProcess:
        if self._library is None:
            library = self._workshop.loop.wait(self._workshop.recorder.library())
            if isinstance(library, LabFailure):
                raise CannotRecord(library.message, library.remedy)
            self._library = InProcess(library)
        return self._library


def captured_option(asked: MagicLine, accept: str | None) -> str | None:
    """The first option on the line that a cell with ``--capture`` cannot have; None where all fit."""
    given = {
        "--args": asked.args,
        "--grid": asked.grid,
        "--block": asked.block,
        "--shared": asked.shared,
        "--shapes": asked.shapes,
        "--ref": asked.ref,
        "--file": asked.file,
        "--accept": accept,
    }
    return next((name for name, value in given.items() if value is not None), None)


def _means(text: KnownText, selector: str, instance: str) -> bool:
    kernel = text.kernel(instance)
    return kernel is not None and kernel in select_kernels(text.parsed, selector)


def _gpu_name() -> str:
    found = list_gpus(os.environ)
    if isinstance(found, NoGpu):
        raise CannotRecord(f"--capture records launches on a GPU: {found.reason}, so the cell was not run", _BY_HAND)
    return found[0].name


def _messages(captured: CellCapture, texts: tuple[KnownText, ...], declined: tuple[str, ...]) -> Iterator[str]:
    recording = captured.recording
    launched = Counter[str]()
    for shape in recording.shape_counts:
        launched[shape.kernel] += shape.count
    kept = Counter(launch.kernel for launch in recording.launches)
    if not kept:
        yield f"recorded on {captured.device}: no launch of a kernel of your own"
    for instance, count in kept.items():
        text = text_of(texts, instance)
        source = f"source: {text.where}" if text is not None else _missing(instance, declined)
        configs = dict.fromkeys(f"grid {one.config.grid}, block {one.config.block}" for one in recording.launches if one.kernel == instance)
        yield f"{instance}: {_launches(launched[instance])} on {captured.device}, {count} recorded; {'; '.join(configs)}; {source}"
    yield from _left_out(recording)


def _missing(instance: str, declined: tuple[str, ...]) -> str:
    reason = f" ({'; '.join(declined)})" if declined else ""
    return f"source: missing{reason}; put it into a cell that begins with %%kernelopt {kernel_name(instance)}"


def _left_out(recording: Recording) -> Iterator[str]:
    others = [note for note in recording.not_captured if _LIBRARYS_OWN not in note]
    yield from others
    if len(others) < len(recording.not_captured):
        yield "launches of libraries' own kernels (PyTorch, CuPy, CUDA's) were left out"


def _launches(count: int) -> str:
    return f"{count} launch{'' if count == 1 else 'es'}"
