"""``%%kernelopt --op Model``: a cell that holds a PyTorch task, a candidate for one, or both, judged as files are.

A task alone is run here as any cell is, then broken down into PyTorch's functions. A candidate, Python or CUDA, is judged by its text and
not run here: it runs in a process of its own only. Example::

    cells.judge(OperatorCell(body, notebook, OperatorOptions("Model")), front)      # shows the verdict below the cell
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from assistant.config import find_workspace, load_settings
from assistant.editor.tasks import OperatorTask, Task, Verb
from assistant.engine import NO, JobRequest, OperatorOptions, read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.live.live_text import LiveText, Root, cell_text, live_text
from assistant.live.own_lines import of_candidate, of_task
from assistant.model.events import ComparisonMade, Event, JobEnded, KernelWritten, Message, OperatorsFound
from assistant.model.profile import Severity
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.task import MODEL, MODEL_NEW, NoTask, find_candidate, find_task
from assistant.record import Record
from jupyter_ext.front import Output, show
from jupyter_ext.operator_page import Bundle, breakdown_bundle, progress_bundle, verdict_bundle, written_bundle

__all__ = ["OperatorCell", "OperatorCells", "OperatorFront"]

Answer = Callable[[Task, Callable[[str], None], float | None], Sequence[Event]]
"""Runs a job to its end and returns all that it says; what it does goes to the second, seconds at most are the third."""
_GET_INPUTS, _GET_INIT = "get_inputs", "get_init_inputs"
_REMEDY = "fix the cell and run it again"


class OperatorCell(Record):
    """A cell that was run."""

    body: str
    """Below the magic's line."""
    notebook: Path
    options: OperatorOptions
    is_optimized: bool = False
    """A task alone: rules write a first kernel for it."""
    raises: bool = False
    """A verdict of no is an error of the cell."""
    timeout_s: float | None = None

    @property
    def class_name(self) -> str:
        return self.options.class_name or MODEL


class OperatorFront(Protocol):
    """What of a notebook is used."""

    @property
    def namespace(self) -> dict[str, object]: ...

    def run_python(self, code: str) -> bool: ...

    def insert(self, code: str) -> bool: ...


class _Text(Record):
    """A text that a job is given, and which of its lines the cell has."""

    path: Path
    live: LiveText


class OperatorCells:
    """The operators of one notebook."""

    def __init__(self, answer: Answer, front: OperatorFront) -> None:
        self._answer = answer
        self._front = front
        self._tasks: dict[tuple[Path, str], LiveText] = {}
        """Of cells that hold a candidate, too, and were not run here; by notebook and class."""

    def judge(self, cell: OperatorCell) -> None:
        """Show what the cell comes to.

        Raises UsageError for a cell that holds neither a task nor a candidate, CannotAnswerError where there is no answer, or it is no and
        the cell asks to raise.
        """
        text = self._read(cell)
        if text.path.suffix == ".cu":
            self._check(cell, self._task_of(cell), text)
            return
        is_task = not isinstance(find_task(text.path, text.live.text, cell.class_name), NoTask)
        is_candidate = not isinstance(find_candidate(text.path, text.live.text), NoTask)
        if is_candidate:
            if is_task:
                self._tasks[cell.notebook, cell.class_name] = text.live
            self._check(cell, text if is_task else self._task_of(cell), text)
        elif not is_task:
            raise UsageError(*_why_none(text, cell.class_name))
        elif self._front.run_python(cell.body):
            self._tasks.pop((cell.notebook, cell.class_name), None)
            self._profile(cell, text)

    def _read(self, cell: OperatorCell) -> _Text:
        if _is_cuda(cell.body):
            path = _path(cell, MODEL_NEW, ".cu")
            launcher = find_launcher(path, cell.body)
            if not isinstance(launcher, Launcher):
                raise UsageError(launcher.message.replace(path.name, "the cell"), launcher.remedy)
            return _Text(path, LiveText(f"\n{cell.body}", 0, cell.body.count("\n") + 2))
        return _Text(_path(cell, "cell", ".py"), cell_text(cell.body, self._front.namespace))

    def _task_of(self, cell: OperatorCell) -> _Text:
        """What this notebook has defined: in cells that were run, else in one with a candidate. Raises UsageError where it has nothing."""
        names, path = self._front.namespace, _path(cell, cell.class_name, ".py")
        kept = self._tasks.get((cell.notebook, cell.class_name))
        if cell.class_name not in names and kept is not None:
            return _Text(path, kept)
        for name in (cell.class_name, _GET_INPUTS):
            if name not in names:
                raise UsageError(f"the notebook has no {name}", f"run the cell with class {cell.class_name} and get_inputs() first")
        roots = [Root(name, names[name]) for name in (cell.class_name, _GET_INPUTS, _GET_INIT) if name in names]
        return _Text(path, live_text(roots))

    def _check(self, cell: OperatorCell, task: _Text, candidate: _Text) -> None:
        said = self._asked(cell, Verb.CHECK, task, candidate)
        verdict = next((event for event in said.events if isinstance(event, ComparisonMade)), None)
        if verdict is None:
            raise said.failure()
        said.output.update(verdict_bundle(MODEL_NEW if candidate.path.suffix == ".py" else "the kernel", verdict), raw=True)
        if cell.raises and said.ended.exit_code == NO:
            raise CannotAnswerError(said.ended.reason.replace(candidate.path.name, MODEL_NEW), _REMEDY)

    def _profile(self, cell: OperatorCell, task: _Text) -> None:
        said = self._asked(cell, Verb.PROFILE, task, None)
        found = next((event for event in said.events if isinstance(event, OperatorsFound)), None)
        if found is None:
            raise said.failure()
        said.output.update(breakdown_bundle(found, said.notes), raw=True)
        if cell.is_optimized:
            self._optimize(cell, task)

    def _optimize(self, cell: OperatorCell, task: _Text) -> None:
        said = self._asked(cell, Verb.OPTIMIZE, task, None)
        written = next((event for event in said.events if isinstance(event, KernelWritten)), None)
        if written is None:
            raise said.failure()
        said.output.update(written_bundle(written.file, said.ended.reason), raw=True)
        self._front.insert(f"%%kernelopt --op {cell.class_name}\n{read_source(Path(written.file)).text}")

    def _asked(self, cell: OperatorCell, verb: Verb, task: _Text, candidate: _Text | None) -> _Said:
        """What the job said, of the cell's lines; what it does is shown meanwhile."""
        settings = load_settings(find_workspace(cell.notebook)).settings
        texts = {text.path: text.live.text for text in (task, candidate) if text is not None}
        request = JobRequest(
            task.path,
            cell.notebook.parent,
            device="cpu",
            target=settings.target,
            timeout_s=settings.run.timeout_s,
            texts=tuple(texts.items()),
        )
        asked = Task(verb, request, operator=OperatorTask(None if candidate is None else candidate.path, cell.options))
        output = show(progress_bundle(f"{verb.value}: waiting"))
        try:
            events = self._answer(asked, lambda words: output.update(progress_bundle(f"{verb.value}: {words}"), raw=True), cell.timeout_s)
        except BaseException:
            output.update(progress_bundle(f"{verb.value}: no answer"), raw=True)
            raise
        events = tuple(of_task(event, task.live, task.path.name) for event in events)
        if candidate is not None:
            events = tuple(of_candidate(event, candidate.live, candidate.path.name) for event in events)
        return _Said(output, events)


class _Said:
    """What a job said, and where that is shown."""

    def __init__(self, output: Output, events: Sequence[Event]) -> None:
        self.output = output
        self.events = events

    @property
    def ended(self) -> JobEnded:
        return next(event for event in reversed(self.events) if isinstance(event, JobEnded))

    @property
    def notes(self) -> tuple[str, ...]:
        """What it says besides its answer."""
        said = (event for event in self.events if isinstance(event, Message))
        return tuple(f"{event.message}; {event.remedy}" if event.remedy else event.message for event in said)

    def failure(self) -> CannotAnswerError:
        """Why there is no answer; nothing else is shown then."""
        nothing: Bundle = {"text/plain": "", "text/html": ""}
        self.output.update(nothing, raw=True)
        said = [event for event in self.events if isinstance(event, Message) and event.severity == Severity.ERROR]
        return CannotAnswerError(said[0].message, said[0].remedy or _REMEDY) if said else CannotAnswerError(self.ended.reason, _REMEDY)


def _path(cell: OperatorCell, name: str, suffix: str) -> Path:
    """What jobs call a text of the notebook; no file."""
    return cell.notebook.with_name(f"{cell.notebook.stem}.{name}{suffix}")


def _is_cuda(body: str) -> bool:
    if "__global__" not in body:
        return False
    try:
        ast.parse(body)
    except (SyntaxError, ValueError):
        return True
    return False


def _why_none(text: _Text, class_name: str) -> tuple[str, str]:
    """Message and remedy."""
    found = find_task(text.path, text.live.text, class_name)
    assert isinstance(found, NoTask), "a task would have been found"
    return found.message.replace(text.path.name, "the cell"), f"{found.remedy}; a candidate is a class {MODEL_NEW}(nn.Module)"
