"""``%%kernelopt --op Model``: a cell that holds a PyTorch task, a candidate for one, or both, judged as files are.

A task alone is run here as any cell is, then broken down into PyTorch's functions. A candidate, Python or CUDA, is judged by its text and
not run here: it runs in a process of its own only. Jobs go on behind the notebook's back, as those of kernels do. Example::

    run = cells.open(OperatorCell(body, notebook, OperatorOptions("Model")))
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from assistant.config import find_workspace, load_settings
from assistant.editor.tasks import OperatorTask, Task, Verb
from assistant.engine import JobRequest, OperatorOptions
from assistant.errors import UsageError
from assistant.live.live_text import LiveText, Root, cell_text, live_text
from assistant.live.own_lines import of_candidate, of_task
from assistant.model.events import Event
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.task import MODEL, MODEL_NEW, NoTask, find_candidate, find_task
from assistant.python_text import parse_module
from assistant.record import Record
from jupyter_ext.operator_runs import Asked, OperatorRun

__all__ = ["OperatorCell", "OperatorCells", "OperatorFront"]

Open = Callable[[str, Path, str | None, tuple[Asked, ...]], OperatorRun]
"""``Workshop.open_operator``."""
_GET_INPUTS, _GET_INIT = "get_inputs", "get_init_inputs"


class OperatorCell(Record):
    """A cell that was run."""

    body: str
    """Below the magic's line."""
    notebook: Path
    options: OperatorOptions
    id: str | None = None
    """The front end's own; None where it gives none."""
    is_optimized: bool = False
    """A task alone: rules write a first kernel for it."""

    @property
    def class_name(self) -> str:
        return self.options.class_name or MODEL


class OperatorFront(Protocol):
    """What of a notebook is used."""

    @property
    def namespace(self) -> dict[str, object]: ...

    def run_python(self, code: str) -> bool: ...


class _Text(Record):
    """A text that a job is given, and which of its lines the cell has."""

    path: Path
    live: LiveText


class OperatorCells:
    """The operators of one notebook."""

    def __init__(self, open_run: Open, front: OperatorFront) -> None:
        self._open = open_run
        self._front = front
        self._tasks: dict[tuple[Path, str], LiveText] = {}
        """Of cells that hold a candidate, too, and were not run here; by notebook and class."""

    def open(self, cell: OperatorCell) -> OperatorRun | None:
        """Begin to judge it; None where the cell's own Python went wrong. Returns at once.

        Raises UsageError for a cell that holds neither a task nor a candidate, and for a candidate without a task.
        """
        text = self._read(cell)
        if text.path.suffix == ".cu":
            return self._begin(cell, self._task_of(cell), text, Verb.CHECK)
        is_task = not isinstance(find_task(text.path, text.live.text, cell.class_name), NoTask)
        if not isinstance(find_candidate(text.path, text.live.text), NoTask):
            if is_task:
                self._tasks[cell.notebook, cell.class_name] = text.live
            return self._begin(cell, text if is_task else self._task_of(cell), text, Verb.CHECK)
        if not is_task:
            raise UsageError(*_why_none(text, cell.class_name))
        if not self._front.run_python(cell.body):
            return None
        self._tasks.pop((cell.notebook, cell.class_name), None)
        return self._begin(cell, text, None, Verb.PROFILE, *((Verb.OPTIMIZE,) if cell.is_optimized else ()))

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

    def _begin(self, cell: OperatorCell, task: _Text, candidate: _Text | None, *verbs: Verb) -> OperatorRun:
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
        operator = OperatorTask(None if candidate is None else candidate.path, cell.options)

        def of_cell(event: Event) -> Event:
            """With the cell's lines in place of those of the texts."""
            of_the_task = of_task(event, task.live, task.path.name)
            return of_the_task if candidate is None else of_candidate(of_the_task, candidate.live, candidate.path.name)

        asked = tuple(Asked(Task(verb, request, operator=operator), of_cell) for verb in verbs)
        return self._open(f"{cell.notebook.name}.{cell.class_name}", cell.notebook, cell.id, asked)


def _path(cell: OperatorCell, name: str, suffix: str) -> Path:
    """What jobs call a text of the notebook; no file."""
    return cell.notebook.with_name(f"{cell.notebook.stem}.{name}{suffix}")


def _is_cuda(body: str) -> bool:
    if "__global__" not in body:
        return False
    try:
        parse_module(body)
    except (SyntaxError, ValueError):
        return True
    return False


def _why_none(text: _Text, class_name: str) -> tuple[str, str]:
    """Message and remedy."""
    found = find_task(text.path, text.live.text, class_name)
    assert isinstance(found, NoTask), "a task would have been found"
    return found.message.replace(text.path.name, "the cell"), f"{found.remedy}; a candidate is a class {MODEL_NEW}(nn.Module)"
