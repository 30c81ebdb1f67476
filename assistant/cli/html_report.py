"""``profile --html``: one file that holds the whole report, with no script and nothing to load.

Holds no product logic: every number is the report's (``assistant.engine.report.profile_report``), which are the events' numbers. Example::

    write_page(Path("out.html"), report, events)
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from assistant.cli.markdown import markdown_html
from assistant.engine.report import (
    KernelReport,
    LaunchReport,
    ProfileReport,
    SourceLine,
    estimate_reasons,
    evidence_of,
    instruction_shares,
    limit_in_words,
    measured_in_words,
    share_in_words,
    source_rows,
    stall_shares,
    stalls_in_words,
    term_shares,
)
from assistant.errors import UsageError
from assistant.model import event_parts, events
from assistant.model.profile import Severity
from assistant.profile.quantity import format_quantity
from assistant.profile.roofline_plot import HEIGHT, WIDTH, plot_roofline, si
from assistant.profile.rules import title
from assistant.profile.timeline_words import program_span, span_in_words, stream_name, timeline_lines
from assistant.shipped import shipped_findings

__all__ = ["page_path", "render_page", "with_page"]

_SUFFIXES = (".html", ".htm")
_MOST_TIMELINE_LINES = 32


def page_path(path: Path) -> Path:
    """Where the page may be written, absolute; raises UsageError before anything runs."""
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"--html takes a file that ends in .html, not {path.name!r}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path.absolute().parent} is not a folder", "make it first")
    return path.absolute().parent.resolve() / path.name


async def with_page(
    profile: Callable[[Callable[[ProfileReport], None]], AsyncIterator[events.Event]], path: Path
) -> AsyncIterator[events.Event]:
    """The events of a profile; the page is written, which a message reports, just before the last of them."""
    kept: list[ProfileReport] = []
    seen: list[events.Event] = []
    async for event in profile(kept.append):
        if isinstance(event, events.JobEnded) and kept:
            _write(path, render_page(kept[0], seen))
            yield events.Message(event.job, Severity.INFORMATION, f"page written: {path}")
        seen.append(event)
        yield event


def render_page(report: ProfileReport, log: Iterable[events.Event]) -> str:
    """The page as HTML; ``log`` are the job's events, for what was missing and how the numbers were made."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    filters: dict[str, Any] = {
        "quantity": format_quantity,
        "percent": share_in_words,
        "bottleneck": limit_in_words,
        "si": si,
        "count": _count,
    }
    environment.filters.update(filters)
    style = _resource("report.css")
    log = tuple(log)
    codes = sorted({f.code for kernel in report.kernels for launch in kernel.launches for f in launch.profile.findings})
    return environment.from_string(_resource("report.html.j2")).render(
        report=report,
        style=Markup(style),  # noqa: S704  (our own file)
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        started=next((event for event in log if isinstance(event, events.JobStarted)), None),
        messages=[event for event in log if isinstance(event, events.Message)],
        found=next((event for event in log if isinstance(event, events.TimelineFound)), None),
        timeline_lines=partial(timeline_lines, most=_MOST_TIMELINE_LINES),
        program_span=program_span,
        stream_name=stream_name,
        span_words=span_in_words,
        diagnostics=[item for event in log if isinstance(event, events.Diagnostics) for item in event.diagnostics],
        documentation={code: markdown_html(_documentation(code)) for code in codes},
        titles={code: title(code) for code in codes},
        total_time_s=sum(kernel.predicted_time_s for kernel in report.kernels),
        facts=evidence_of,
        hardware=_hardware,
        stalls=stall_shares,
        source_lines=partial(_source_lines, report),
        terms=term_shares,
        mix=instruction_shares,
        elsewhere=partial(_elsewhere, report),
        reasons=estimate_reasons,
        plot=plot_roofline,
        width=WIDTH,
        height=HEIGHT,
    )


def _hardware(profile: events.Profile) -> list[str]:
    """What the GPU's own counters say; empty where nothing ran on one."""
    return [sentence for sentence in (measured_in_words(profile), stalls_in_words(profile)) if sentence is not None]


def _source_lines(report: ProfileReport, kernel: KernelReport, launch: LaunchReport) -> list[SourceLine]:
    """Every line of the kernel and of the functions that it calls, with what the launch did there."""
    return source_rows(report.text, str(report.path), kernel.ranges, launch.profile.lines, launch.profile.findings, launch.profile.stalls)


def _elsewhere(report: ProfileReport, launch: LaunchReport) -> list[event_parts.ProfileLine]:
    """Accesses in other files than the report's: headers, further sources."""
    return [line for line in launch.profile.lines if line.file != str(report.path)]


def _count(value: int) -> str:
    return f"{value:,}"


def _documentation(code: str) -> str:
    """The finding's page; empty where it has none."""
    page = shipped_findings() / f"{code}.md"
    return page.read_text("utf-8") if page.is_file() else ""


def _resource(name: str) -> str:
    return (files("assistant.cli") / name).read_text("utf-8")


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(_in_unicode(text).encode())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def _in_unicode(text: str) -> str:
    """The text with a mark for each byte of a source that is not UTF-8 (a comment in Latin-1)."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
