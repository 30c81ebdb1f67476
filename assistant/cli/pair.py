"""``kernelopt pair FILE``: a pair session on a terminal. Commands come from standard input, saves from the file itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from assistant.cli.compose import open_session
from assistant.cli.consent import model_as_remembered
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.render import TextRenderer
from assistant.cli.status import StatusLine
from assistant.disk.texts import source_text
from assistant.editor.watch import changes
from assistant.engine import JobRequest, OptimizeOptions, Session, event_json, read_source, replace_text
from assistant.engine.pair import Pair, constraint_answer, other_files, turn_event, version_line, version_name
from assistant.engine.search import SearchCallbacks
from assistant.errors import KernelOptError, UsageError
from assistant.model import events
from assistant.model.pair import TurnKind
from assistant.model.proposal import REASON_CODES

__all__ = ["pair_up"]

_ENDED = "ended; the session stays open: the same command goes on with it"
_PROMPT = "pair> "
_READ_BYTES = 65536
_DETAILED = frozenset({TurnKind.WHY.value, TurnKind.STOP.value})
"""Turns of which all is shown, not the one line."""
_HELP = f"""\
save the file           each save is judged and answered in one line
suggest [HINT]          one proposal, or why there is none; HINT: a finding (KO103) or a technique (unrolling)
accept | reject [CODE] [WORDS]   decide on the last proposal; CODE: {", ".join(REASON_CODES)}
constrain WORDS         keep block 256, keep the launch, no fast-math, keep precision, no shared memory,
                        registers at most 64, no loop-unrolling …; drop N takes one back
why                     what the last answer rests on
back [N]                the kernel as it was in version N (the one before), written into the file
ladder                  versions so far, and constraints
stop                    end the session with a report
quit                    leave it open; the same command goes on with it"""


def pair_up(request: JobRequest, goal: str | None, may_edit_host_code: bool, as_json: bool) -> None:
    """Run the session until it is stopped, its input ends or Ctrl-C comes; it stays open unless it is stopped.

    On a terminal suggestions may edit host code: a person sees each before it is accepted. Elsewhere only where that was said.
    """
    session = open_session("pair")
    options = OptimizeOptions(may_edit_host_code=may_edit_host_code or sys.stdin.isatty())

    async def run() -> int:
        try:
            return await _Terminal(session, request, options, as_json).run(goal)
        finally:
            session.close()

    raise typer.Exit(run_async(run, _ENDED))


class _Terminal:
    """Takes one command or save after the other; a newer save ends the judging of an older one."""

    def __init__(self, session: Session, request: JobRequest, options: OptimizeOptions, as_json: bool) -> None:
        self._session = session
        self._pair = Pair(session)
        self._request = request
        self._options = options
        self._asked = SearchCallbacks(model=model_as_remembered())
        self._as_json = as_json
        self._screen: Console = console()
        self._text = TextRenderer(self._screen)
        self._todo: asyncio.Queue[str | _FileSaved | None] = asyncio.Queue()
        self._is_prompted = sys.stdin.isatty() and not as_json
        self._seen = 0
        self._id = ""
        self._files: tuple[Path, ...] = (request.file,)
        """Of the program, as far as it is known."""
        self._judging: tuple[tuple[str | None, ...], asyncio.Task[None]] | None = None

    async def run(self, goal: str | None) -> int:
        """The exit code; Ctrl-C leaves the session open and says so."""
        path = self._request.file
        self._session.check_region(self._request)
        others = await asyncio.to_thread(other_files, self._request)
        self._files = (path, *(other.path for other in others))
        is_watching = asyncio.Event()
        watching = asyncio.create_task(self._watch(is_watching))
        try:
            await is_watching.wait()  # a save after the first reading is noticed
            opened = self._pair.sessions.start(read_source(path), self._request.kernel, goal, others)
            self._id = opened.state.session.id
            self._begin(opened.is_resumed, opened.answer)
            _read_lines(asyncio.get_running_loop(), self._todo.put_nowait)
            await self._saved()
            while True:
                self._prompt()
                item = await self._todo.get()
                if item is None or (isinstance(item, str) and not await self._obeyed(item)):
                    return 0
                if isinstance(item, _FileSaved):
                    await self._saved()
        finally:
            watching.cancel()
            if self._id and (state := self._pair.sessions.state(self._id)).is_open:
                self._say(f"{self._id} stays open: kernelopt pair {path.name} --kernel {state.session.kernel} goes on with it")

    # --- what people see ------------------------------------------------------------------------------------------------

    def _begin(self, is_resumed: bool, answer: str) -> None:
        """What the session says first; where it is continued, the steps so far."""
        if self._as_json:
            self._catch_up()
            return
        self._screen.print(answer, markup=False)
        if is_resumed:
            self._ladder()
        self._seen = len(self._pair.sessions.state(self._id).turns)

    def _ladder(self) -> None:
        state = self._pair.sessions.state(self._id)
        for version in state.versions:
            self._screen.print(f"  {version_line(state, version)}", markup=False, soft_wrap=True)
        self._screen.print(f"  {constraint_answer(state)}", markup=False, soft_wrap=True)

    def _catch_up(self, end: int | None = None) -> None:
        """Show turns (below number ``end``) that have come since the last look, whichever front end they were made in."""
        state = self._pair.sessions.state(self._id)
        for turn in state.turns[self._seen : None if end is None else end - 1]:
            self._seen = turn.number
            self._print(turn_event(state.session, turn))

    def _show(self, event: events.Event) -> None:
        if isinstance(event, events.PairTurn):
            if event.session != self._id or event.number <= self._seen:
                return
            self._catch_up(event.number)
            self._seen = event.number
        self._print(event)

    def _print(self, event: events.Event) -> None:
        if self._as_json:
            typer.echo(event_json(event))
        elif isinstance(event, events.PairTurn):
            text = event.detail if event.kind in _DETAILED and event.detail else event.answer
            self._screen.print(text, markup=False, soft_wrap=True)
        elif isinstance(event, events.ProposalMade):
            self._text.render(event)

    def _say(self, text: str) -> None:
        """What is no event goes to standard error."""
        console(is_error=True).print(text, markup=False, soft_wrap=True)

    def _prompt(self) -> None:
        if self._is_prompted:
            self._screen.print(_PROMPT, end="", markup=False)

    # --- what happens ---------------------------------------------------------------------------------------------------

    async def _watch(self, is_watching: asyncio.Event) -> None:
        """Saves of the program's files; newer texts end the judging of older ones. Sets the event once every save is noticed."""
        files = frozenset(self._files)
        try:
            async with changes(Path(os.path.commonpath([path.parent for path in files]))) as batches:
                is_watching.set()
                async for paths in batches:
                    if not files.isdisjoint(paths):
                        self._end_older_judging()
                        self._todo.put_nowait(_FileSaved())
        except KernelOptError as error:
            self._show_error(error)
        finally:
            is_watching.set()

    def _end_older_judging(self) -> None:
        """End the judging of texts that the files no longer have."""
        texts = self._texts()
        is_whole = texts[0] is not None  # it cannot be read while it is replaced; its next save is noticed too
        if self._judging is not None and is_whole and self._judging[0] != texts:
            self._judging[1].cancel()

    def _texts(self) -> tuple[str | None, ...]:
        """Of the program's files, as they are on disk; None for one that cannot be read."""
        return tuple(map(source_text, self._files))

    async def _saved(self) -> None:
        """Answer the file as it is; one that cannot be read, or is being replaced, is answered after its next save."""
        try:
            text = read_source(self._request.file).text
        except UsageError as error:
            self._show_error(error)
            return
        if not text:  # most often it is being written: its end is noticed
            self._say(f"{self._request.file.name} is empty: it is answered when it is saved with text")
            return
        texts = self._texts()
        task = asyncio.ensure_future(self._follow(lambda: self._pair.edited(self._request)))
        self._judging = (texts, task)
        try:
            await asyncio.wait((task,))
            if not task.cancelled():
                task.result()
        except KernelOptError as error:
            self._show_error(error)
        finally:
            self._judging = None
            await _ended(task)
        self._catch_up()

    async def _obeyed(self, line: str) -> bool:
        """Do what a line says; False where it ends the conversation."""
        verb, _, rest = line.strip().partition(" ")
        try:
            if verb in ("quit", "exit", "stop"):
                if verb == "stop":
                    self._pair.sessions.stop(self._id)
                    self._catch_up()
                return False
            await self._command(verb, rest.strip())
        except KernelOptError as error:
            self._show_error(error)
        return True

    async def _command(self, verb: str, rest: str) -> None:
        match verb:
            case "":
                pass
            case "suggest":
                await self._follow(lambda: self._pair.suggest(self._id, self._request, rest, self._options, self._asked))
            case "accept":
                await self._follow(lambda: self._session.accept(self._proposal(), ()))
                await self._saved()
            case "reject":
                code, _, words = rest.partition(" ")
                is_code = code in REASON_CODES
                self._session.reject(self._proposal(), code if is_code else None, (words if is_code else rest) or None)
            case "constrain":
                self._pair.sessions.constrain(self._id, rest)
            case "why":
                self._pair.sessions.why(self._id)
            case "back":
                await self._back(rest)
            case "ladder" | "status":
                self._ladder()
            case "help" | "?":
                self._say(_HELP)
            case _:
                raise UsageError(f"{verb!r} is not a command of a pair session", "help lists them")
        self._catch_up()

    async def _back(self, name: str) -> None:
        number = name.removeprefix("v")
        if number and not number.isdigit():
            raise UsageError(f"back takes the number of a version, not {name!r}", "ladder lists them")
        path = self._request.file
        version, text = self._pair.sessions.back(self._id, int(number) if number else None, read_source(path).text)
        replace_text(path, text)
        self._say(f"{path.name} is at {version_name(version.number)} again; back to where you were with: back N")
        await self._saved()

    def _proposal(self) -> str:
        """The last one of the session."""
        proposals = self._pair.sessions.state(self._id).proposals
        if not proposals:
            raise UsageError("nothing was suggested yet", "suggest asks for a proposal")
        return proposals[-1]

    async def _follow(self, stream: Callable[[], AsyncIterator[events.Event]]) -> None:
        with StatusLine(console(is_error=True)) as status:
            async for event in stream():
                status.hide()
                self._show(event)
                status.follow(event)

    def _show_error(self, error: KernelOptError) -> None:
        self._say(f"{error.message}\n  try: {error.remedy}" if error.remedy else error.message)


class _FileSaved:
    """The file was written."""


def _read_lines(loop: asyncio.AbstractEventLoop, put: Callable[[str | None], Any]) -> None:
    """Hand over each line of standard input, then None. On a thread: not every input can be waited for by the loop."""

    def put_line(line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended and handles no input
            loop.call_soon_threadsafe(put, line)

    def read() -> None:
        pending = b""
        while chunk := os.read(0, _READ_BYTES):
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                put_line(line.decode("utf-8", "replace"))
        if pending:
            put_line(pending.decode("utf-8", "replace"))
        put_line(None)

    threading.Thread(target=read, daemon=True).start()


async def _ended(task: asyncio.Task[None]) -> None:
    """Ends a task that is still running, with its workers."""
    if not task.done():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
