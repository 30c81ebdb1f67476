"""``kernelopt watch DIR``: what editors do in the background, on a terminal of its own."""

from __future__ import annotations

import time
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.paths import plain_path
from assistant.config import find_workspace, load_settings
from assistant.editor.compile_words import compile_error
from assistant.editor.lens_row import headline
from assistant.editor.program_words import is_run_by_none, program_about, program_lens
from assistant.editor.view import Note, View
from assistant.editor.watcher import watch
from assistant.engine import event_json
from assistant.errors import KernelOptError, UsageError
from assistant.model.events import Event
from assistant.model.profile import Severity
from assistant.profile.quantity import counted_noun

__all__ = ["watch_folder"]

_ENDED = "watching ended; what was found is kept: kernelopt history"
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFORMATION: "dim"}


def watch_folder(folder: Path, as_json: bool) -> None:
    """Look at every source of the folder whenever it, or a header that it includes, is saved; until Ctrl-C."""
    root = plain_path(folder).resolve()
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder", f"name a folder, or use: kernelopt check {folder}")
    session = open_session("watch")
    report = _JsonReport() if as_json else _TextReport(console(), root)

    async def run() -> int:
        try:
            await watch(session, root, lambda path: load_settings(find_workspace(path)).settings, report)
        finally:
            session.close()
        return 0

    raise typer.Exit(run_async(run, _ENDED))


class _TextReport:
    """One paragraph per look, each note as compilers print theirs, so that terminals and editors can jump to it."""

    def __init__(self, screen: Console, root: Path) -> None:
        self._screen = screen
        self._root = root

    def watching(self, root: Path, sources: int) -> None:
        self._screen.print(f"watching {escape(str(root))}: {counted_noun(sources, 'source')}; save one to have it looked at, Ctrl-C ends")

    def too_many(self, count: int) -> None:
        self._screen.print(f"{_now()} {count} sources changed at once (a checkout?): each is looked at when it is next saved")

    def unreadable(self, path: Path, error: KernelOptError) -> None:
        self._screen.print(f"{_now()} [red]{escape(self._name(path))}: {escape(error.message)}[/]")

    def waits(self, path: Path, reason: str) -> None:
        self._screen.print(f"{_now()} {escape(self._name(path))} waits: {escape(reason)}")

    def empty(self, path: Path) -> None:
        self._screen.print(f"{_now()} [bold]{escape(self._name(path))}[/] is empty")

    def reported(self, path: Path, event: Event) -> None:
        del path, event

    def looked(self, path: Path, view: View) -> None:
        via = program_lens(view.programs) or ""
        self._screen.print(f"{_now()} [bold]{escape(self._name(path))}[/]{f' {escape(via)}' if via.startswith('via') else ''}")
        if view.programs is not None and len(view.programs.meant) > 1:
            names = ", ".join(program.name for program in view.programs.meant)
            self._screen.print(escape(f"  part of {names}: kernelopt program {path} --use NAME chooses which one runs it"), soft_wrap=True)
        for failure in view.failures:
            remedy = f"; try: {failure.remedy}" if failure.remedy else ""
            self._screen.print(f"  [bold red]{escape(failure.message)}[/]{escape(remedy)}", soft_wrap=True)
        is_run = not is_run_by_none(view.programs)
        for kernel in view.kernels:
            state = headline(kernel, view.notes) if is_run or compile_error(view.notes) is not None else "not run"
            self._screen.print(f"  {escape(kernel.name)}: {escape(state)}", soft_wrap=True)
        if not view.kernels:
            self._screen.print("  no kernel in it")
        elif not is_run:
            self._screen.print(f"  {escape(program_about(view.programs))}".replace("\n", "\n  try: "), soft_wrap=True)
        for note in view.notes:
            self._screen.print(self._note(path, note), soft_wrap=True)

    def _note(self, path: Path, note: Note) -> str:
        code = f" {note.code}" if note.code else ""
        style = _STYLES[note.severity]
        place = escape(f"{self._name(path)}:{note.line}:{max(1, note.column)}")
        return f"{place}: [{style}]{note.severity.value}{code}[/]: {escape(note.message)}"

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else str(path)


class _JsonReport:
    """The events of every job, a line each; what is no event goes to stderr."""

    def watching(self, root: Path, sources: int) -> None:
        del root, sources

    def too_many(self, count: int) -> None:
        console(is_error=True).print(f"{count} sources changed at once: each is checked at its next save")

    def unreadable(self, path: Path, error: KernelOptError) -> None:
        console(is_error=True).print(f"{path}: {error.message}", markup=False)

    def waits(self, path: Path, reason: str) -> None:
        console(is_error=True).print(f"{path} waits: {reason}", markup=False)

    def empty(self, path: Path) -> None:
        console(is_error=True).print(f"{path} is empty", markup=False)

    def reported(self, path: Path, event: Event) -> None:
        del path
        typer.echo(event_json(event))

    def looked(self, path: Path, view: View) -> None:
        del path, view


def _now() -> str:
    return time.strftime("%H:%M:%S")
