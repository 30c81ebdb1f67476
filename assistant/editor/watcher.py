"""``kernelopt watch``: an editor session for a whole folder, outside any editor. A source is looked at when it or a header of it is saved,
a header with kernels when it is saved itself.

Example::

    await watch(session, root, settings_of, report)      # until cancelled
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from assistant.build.units import HEADER_SUFFIXES
from assistant.config import ConsentAnswer, ProgramConsent, Settings, TrustStore, user_paths
from assistant.cuda.includes import included_names
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.setup_files import is_choice, is_setup
from assistant.editor.staging import Trigger
from assistant.editor.view import View
from assistant.editor.watch import changes, is_source
from assistant.engine import Session, read_source
from assistant.errors import KernelOptError
from assistant.lab.gpu_users import NvmlGpuUsers
from assistant.model.events import Event
from assistant.model.proposal import AlreadyDecided, Decision

__all__ = ["WatchReport", "watch"]

_KERNEL = "__global__"
_CHECKOUT_FILES = 16
"""More sources than this changing at once is a checkout or a code generator, not a save."""


class WatchReport(Protocol):
    """Reports to a person."""

    def watching(self, root: Path, sources: int) -> None: ...

    def too_many(self, count: int) -> None:
        """So many sources changed at once that each is checked at its next save."""
        ...

    def unreadable(self, path: Path, error: KernelOptError) -> None: ...

    def empty(self, path: Path) -> None:
        """There is nothing in it to look at."""
        ...

    def waits(self, path: Path, reason: str) -> None:
        """Nothing is run for a source as long as its GPU is in use."""
        ...

    def reported(self, path: Path, event: Event) -> None: ...

    def looked(self, path: Path, view: View) -> None:
        """Everything that was to be done for this source is done."""
        ...


async def watch(session: Session, root: Path, settings_of: Callable[[Path], Settings], report: WatchReport) -> None:
    """Look at sources below ``root`` whenever they are saved. Raises CannotAnswerError where the folder cannot be watched."""
    listener = _Listener(report)
    guard = Guard(TrustStore(user_paths().trust), _consent, is_trusted=True)
    lanes = Lane(JobHost("watch")), Lane(JobHost("watch"), NvmlGpuUsers())
    parts = EditorParts(*lanes, guard, listener, settings_of, f"watch {os.getpid()}", most_sources=_CHECKOUT_FILES)
    editor = EditorSession(session.store, parts)
    listener.editor = editor
    try:
        async with changes(root) as batches:
            report.watching(root, sum(1 for _ in _sources(root)))
            async for batch in batches:
                _look(editor, root, batch, report)
    finally:
        await editor.close()


def _look(editor: EditorSession, root: Path, batch: frozenset[Path], report: WatchReport) -> None:
    """Put what a batch touches into the session."""
    touched = _touched(root, batch)
    if len(touched) > _CHECKOUT_FILES:
        report.too_many(len(touched))
        return
    for path in touched:
        key = str(path)
        try:
            text = read_source(path).text
        except KernelOptError as error:
            editor.remove(key)
            if path.exists():
                report.unreadable(path, error)
            continue
        if not text.strip():
            editor.remove(key)
            report.empty(path)
            continue
        editor.put(key, path, text, Trigger.SAVED)
    editor.files_changed(tuple(batch))


def _touched(root: Path, batch: Iterable[Path]) -> list[Path]:
    """The sources that changed, and those that include a header that did (by name, through other headers too)."""
    sources = {path for path in batch if is_source(path)}
    names = {path.name for path in batch if not (is_source(path) or is_setup(path) or is_choice(path))}
    if names:
        including = {path: _includes(path) for path in _files(root)}
        while True:
            more = {path.name for path, included in including.items() if included & names} - names
            if not more:
                break
            names |= more
        sources |= {path for path, included in including.items() if is_source(path) and included & names}
    return sorted({*sources, *(path for path in batch if path.suffix in HEADER_SUFFIXES and _holds_kernels(path))})


def _holds_kernels(path: Path) -> bool:
    """Whether a header is looked at itself, in the program that includes it."""
    try:
        return _KERNEL in path.read_text("utf-8", "replace")
    except OSError:
        return False


def _includes(path: Path) -> frozenset[str]:
    try:
        return included_names(path.read_text("utf-8", "replace"))
    except OSError:
        return frozenset()


def _sources(root: Path) -> Iterable[Path]:
    return (path for path in _files(root) if is_source(path))


def _files(root: Path) -> Iterable[Path]:
    """Sources and headers below a folder; hidden folders and what they hold left out."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for file in files:
            path = Path(folder) / file
            if is_source(path) or path.suffix in HEADER_SUFFIXES:
                yield path


async def _consent(run: ProgramConsent) -> ConsentAnswer:
    """Naming the folder on the terminal is consent to run its programs, for as long as it is watched."""
    del run
    return ConsentAnswer.ONCE


@dataclass
class _Listener:
    """Implements ``EditorListener``: a source is reported when its last job has ended, and one of them was not cancelled."""

    report: WatchReport
    editor: EditorSession | None = None
    _answered: set[str] = field(default_factory=set[str])
    """Sources of which a job has ended with an answer since they were last reported."""

    def shown(self, key: str) -> None:
        del key

    def decided(self, key: str, decision: Decision) -> None:
        del key, decision

    def lost(self, key: str, outcome: AlreadyDecided) -> None:
        del key, outcome

    def job_started(self, work: Work) -> None:
        del work

    def job_reported(self, work: Work, event: Event) -> None:
        self.report.reported(work.task.request.file, event)

    def job_waits(self, work: Work, reason: str) -> None:
        self.report.waits(work.task.request.file, reason)

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        if refusal is not None:
            self.report.unreadable(work.task.request.file, refusal)
        if not is_cancelled:
            self._answered.add(work.key)
        open_keys = () if self.editor is None else self.editor.keys()
        if work.key not in open_keys:
            self._answered.discard(work.key)  # it was closed
        elif self.editor is not None and work.key in self._answered and self.editor.is_settled(work.key):
            self._answered.discard(work.key)
            self.report.looked(work.task.request.file, self.editor.view(work.key))
