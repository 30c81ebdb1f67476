"""Both sides of a comparison of operators, read from their texts.

Example::

    pair = read_pair(source_in(request, Path("/p/task.py")), source_in(request, Path("/p/candidate.py")), None)
    pair.task.name, pair.candidate.class_name       # "Model", "ModelNew"
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.cuda.code_patterns import Words
from assistant.cuda.parse import parse
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, SourceVersion, read_source, version_of
from assistant.errors import UsageError
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.task import NoTask, Task, find_candidate, find_task, looks_like_task
from assistant.ports.lab import Program
from assistant.record import Record

__all__ = [
    "Candidate",
    "OperatorPair",
    "checked_sizes",
    "is_operator",
    "operator_candidate",
    "read_pair",
    "read_task",
    "runnable_file",
    "source_in",
    "without_cuda",
]

_PYTHON = ".py"
_CUDA = frozenset({".cu", ".cuh"})
_HOLDS_KERNELS = "__global__"
_HALF = Words(r"__half2?|half2?|__nv_bfloat16\w*|bfloat16|float16|kHalf|kBFloat16|__float2half\w*")
"""Names of types of 16 bits, and what makes them, in Python and CUDA."""


class Candidate(Record):
    """What stands in the place of the reference."""

    source: Source
    class_name: str | None
    """``ModelNew``; None where a launcher is wrapped."""
    launcher: Launcher | None


class OperatorPair(Record):
    """The reference and a candidate."""

    task: Task
    candidate: Candidate
    is_for_any_model: bool = False
    """Whether the candidate takes other sizes of the model, too, so that it is tried on them (those that the constructor reads)."""

    @property
    def lowers_precision(self) -> bool:
        """Whether the candidate's text names a type of 16 bits and the task's does not."""
        return _names_half(self.candidate.source.text) and not _names_half(self.task.text)


def _names_half(text: str) -> bool:
    words = "".join(letter if letter.isidentifier() or letter.isdigit() else " " for letter in text).split()
    return any(word in _HALF for word in words)


def is_operator(path: Path, class_name: str | None, kernel: str | None) -> bool:
    """Whether a command on the file is about its operator: a class was named, or the file is a task and no kernel was named.

    Raises UsageError for a file that is a task and holds kernels, where neither was named.
    """
    if class_name is not None and kernel is not None:
        raise UsageError("--op and --kernel exclude each other", "--op judges a whole operator, --kernel a kernel")
    if class_name is not None:
        return True
    if path.suffix != _PYTHON or kernel is not None or not path.is_file():
        return False
    text = read_source(path).text
    if not looks_like_task(text):
        return False
    if _HOLDS_KERNELS in text:
        raise UsageError(f"{path.name} is a PyTorch task and holds CUDA text", "--op Model judges the operator, --kernel NAME a kernel")
    return True


def source_in(request: JobRequest, path: Path) -> Source:
    """A file as the request gives it, else as it is on disk. Raises UsageError for one that cannot be read."""
    text = request.text_of(path)
    return read_source(path) if text is None else Source(path, text)


def read_task(source: Source, class_name: str | None) -> Task:
    """Raises UsageError where the file is none, with what to do."""
    found = find_task(source.path, source.text, class_name)
    if isinstance(found, NoTask):
        raise UsageError(found.message, found.remedy)
    return found


def read_pair(task: Source, candidate: Source, class_name: str | None) -> OperatorPair:
    """Raises UsageError where one of them is none, with what to do. Both may be the same file, which has the candidate beside its task."""
    return OperatorPair(read_task(task, class_name), operator_candidate(candidate))


def runnable_file(path: Path, text: str, folder: Path) -> Path:
    """The file itself where it holds this text, else a copy of the text in ``folder``: nothing is written to a person's own file."""
    try:
        if path.read_text("utf-8") == text:
            return path
    except (OSError, UnicodeDecodeError):
        pass  # a cell of a notebook is in no file
    folder.mkdir(exist_ok=True)
    copy = folder / path.name
    copy.write_text(text, "utf-8")
    return copy


def checked_sizes(task: Task, sizes: Sequence[tuple[str, int]]) -> None:
    """Raises UsageError for a size that is no whole number at the top of the task's file."""
    unknown = next((name for name, _ in sizes if name not in task.sizes), None)
    if unknown is not None:
        known = f"its sizes are {', '.join(task.sizes)}" if task.sizes else "write its sizes as constants at the top of the file"
        raise UsageError(f"{task.path.name} has no size {unknown}", known)


def without_cuda(request: JobRequest, flags: Flags) -> SourceVersion:
    """The task's file as a version of its program, of which no text is CUDA."""
    parsed = parse(Source(request.file, ""))
    return version_of(parsed, Program((parsed.source,), flags), Selection(needs_kernels=False))


def operator_candidate(source: Source) -> Candidate:
    """Raises UsageError where the text is none."""
    if source.path.suffix in _CUDA:
        launcher = find_launcher(source.path, source.text)
        if isinstance(launcher, NoTask):
            raise UsageError(launcher.message, launcher.remedy)
        return Candidate(source, None, launcher)
    name = find_candidate(source.path, source.text)
    if isinstance(name, NoTask):
        raise UsageError(name.message, name.remedy)
    return Candidate(source, name, None)
