"""Drive one job's events to the screen (or to JSON lines) and turn its end into an exit code."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

from assistant.cli import exit_codes
from assistant.cli.calm_screen import CalmScreen
from assistant.cli.console import console
from assistant.cli.render import TextRenderer
from assistant.cli.shown import Shown
from assistant.cli.status import StatusLine
from assistant.engine import event_json
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.completion import ModelRole

__all__ = ["EventStream", "fail", "run_async", "show_events", "show_search"]

EventStream = AsyncIterator[events.Event]
OnWriting = Callable[[ModelRole, str], None]
_INTERRUPTED = "interrupted"
_SEARCH_INTERRUPTED = "interrupted; what was finished is kept: kernelopt history; the search goes on with kernelopt optimize FILE --resume"
_LOOP_IS_CLOSED = "Event loop is closed"
"""What pipes of a subprocess raise that are first closed when the event loop has ended (CPython, ``asyncio/base_events.py``)."""


def show_events(stream: Callable[[], EventStream], shown: Shown) -> int:
    """Render every event of the stream; the exit code its ``job_ended`` carries."""
    return run_async(lambda: _show(lambda _: stream(), shown))


def show_search(stream: Callable[[OnWriting], EventStream], shown: Shown) -> int:
    """The same for a search, in which a model may write: it shows how far its answer is. Interrupted, it says how to go on."""
    return run_async(lambda: _show(stream, shown), _SEARCH_INTERRUPTED)


def run_async(main: Callable[[], Awaitable[int]], interrupted: str = _INTERRUPTED) -> int:
    """Run to the end; Ctrl-C and SIGTERM cancel, so that workers are killed before the process ends, and ``interrupted`` is printed."""

    async def cancellable() -> int:
        task = asyncio.ensure_future(main())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            console(is_error=True).print(interrupted, markup=False, soft_wrap=True)
            return exit_codes.INTERRUPTED
        except BrokenPipeError:
            return exit_codes.READER_GONE
        except KernelOptError as error:
            return fail(error)

    try:
        return asyncio.run(cancellable())
    finally:
        sys.unraisablehook = _report_unraisable


def _report_unraisable(raised: sys.UnraisableHookArgs) -> None:
    """Report every such error but one: pipes of a worker whose start was cancelled find the event loop closed, and the worker ends too."""
    is_late = isinstance(raised.exc_value, RuntimeError) and str(raised.exc_value) == _LOOP_IS_CLOSED
    if not is_late:
        sys.__unraisablehook__(raised)


def fail(error: KernelOptError) -> int:
    """Print a deliberate error for people; its exit code."""
    err = console(is_error=True)
    err.print(f"error: {error.message}", markup=False, soft_wrap=True)
    if error.remedy:
        err.print(f"  try: {error.remedy}", markup=False, soft_wrap=True)
    return error.exit_code


async def _show(stream: Callable[[OnWriting], EventStream], shown: Shown) -> int:
    show = _renderer(shown)
    exit_code = exit_codes.INTERNAL
    with StatusLine(console(is_error=True)) as status:
        shown_events = stream(status.writing)
        try:
            async for event in shown_events:
                status.hide()
                show(event)
                status.follow(event)
                if isinstance(event, events.JobEnded):
                    exit_code = event.exit_code
        finally:
            if isinstance(shown_events, AsyncGenerator):
                await shown_events.aclose()  # its workers end before the loop does
    return exit_code


def _renderer(shown: Shown) -> Callable[[Any], None]:
    """Prints one event."""
    if shown.as_json:
        return _print_json
    out = console()
    screen = CalmScreen(out, shown.is_asked) if out.is_terminal and not shown.is_verbose else TextRenderer(out, shown.is_verbose)
    return screen.render


def _print_json(event: events.Event) -> None:
    line = event_json(event)
    try:
        line.encode(sys.stdout.encoding)
    except UnicodeEncodeError:  # few characters to write with
        line = json.dumps(json.loads(line))
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
