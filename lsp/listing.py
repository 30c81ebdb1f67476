"""Answers of the ``kernelopt/…`` requests: the session's values as JSON, with 0-based lines of the document.

Example::

    listed(units, backend, "cases", uri)     # [{"uri": …, "kernel": "k(float *)", "verdict": "PASS", "tests": […]}, …]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assistant.editor.heat import COLD, heat_of
from assistant.editor.learned_page import SHOWN_ATTEMPTS, learned_page
from assistant.editor.lens_row import headline
from assistant.editor.offer_words import accept_title, decided_title, offer_title, outdated_title
from assistant.editor.program_words import way_title
from assistant.editor.report import KernelPart, Report
from assistant.editor.view import KernelView, StallView
from assistant.engine import event_object
from assistant.engine.pair import PairState, version_name
from assistant.engine.report import proposal_event
from assistant.model.pair import PairSession
from assistant.model.profile import Grade
from assistant.model.proposal import Decision, Proposal
from assistant.program.build_files import BuildWay
from assistant.serialize import encode
from lsp.backend import Backend
from lsp.units import Unit, Units

__all__ = ["LISTS", "build_command", "heat_lines", "listed", "memory_page", "reports"]

STATIC = "static"
"""Method of what the text alone says."""


def listed(units: Units, backend: Backend, what: str, uri: str | None) -> list[dict[str, Any]]:
    """One list, of a document or of all open ones. Raises KeyError for an unknown list."""
    wanted = [unit for u in ([uri] if uri else units.uris()) for unit in units.of(u)]
    items = [item for unit in wanted for item in LISTS[what](backend, unit)]
    return [item for index, item in enumerate(items) if item not in items[:index]]  # a proposal may touch several open documents


def reports(units: Units, backend: Backend, uri: str) -> list[dict[str, Any]]:
    """One for each CUDA text of a document."""
    return [{"uri": unit.uri, "source": unit.key, **encode(_placed(backend.editor.report(unit.key), unit))} for unit in units.of(uri)]


def memory_page(backend: Backend) -> dict[str, Any]:
    """What memory learnt, in parts for a page, and the newest candidates with why they were tried."""
    store = backend.store
    page: dict[str, Any] = encode(learned_page(store.what_was_learned(), store.attempts(limit=SHOWN_ATTEMPTS)))
    return page


def heat_lines(units: Units, backend: Backend, uri: str) -> Iterator[dict[str, Any]]:
    """Counters of each line and kind of access, and stalls where they were sampled, with the line's heat; what edits would do."""
    for unit in units.of(uri):
        view = backend.editor.view(unit.key)
        heat = heat_of(view)
        for item in (*view.lines, *view.stalls):
            hot = heat.get((item.kernel, item.line), COLD)
            place = {"line": _line(unit, item.line), "kernel": item.kernel, "method": item.method}
            kind = {"op": "stall", "grade": Grade.ESTIMATED.value} if isinstance(item, StallView) else {}
            yield kind | encode(item.counters) | place | {"heat_step": hot.step, "heat": hot.text}
        for edited in view.live:
            place = {"line": _line(unit, edited.line), "kernel": edited.kernel, "method": STATIC}
            yield place | {
                "op": "edited",
                "grade": Grade.ESTIMATED.value,
                "heat_step": COLD.step,
                "heat": COLD.text,
                "live": unit.said(edited.text),
            }


def _kernels(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """A kernel, what a command on it takes, its line of the document."""
    view = backend.editor.view(unit.key)
    for kernel in view.kernels:
        said = {"document_line": _line(unit, kernel.line), "headline": unit.said(headline(kernel, view.notes))}
        yield encode(_brief(kernel)) | unit.arguments(kernel.key) | said


def _brief(kernel: KernelView) -> KernelView:
    """Without what is shown in the report alone: a profile's lines are many."""
    return replace(kernel, launches=tuple(replace(launch, profile=None) for launch in kernel.launches), proposal=None, evidence=())


def _proposals(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    view = backend.editor.view(unit.key)
    outdated = {kernel.proposal.id for kernel in view.kernels if kernel.proposal is not None and kernel.is_offer_outdated}
    for proposal in view.proposals:
        yield event_object(proposal_event(proposal.job, proposal)) | {
            "uri": _home(backend, unit, proposal),
            "title": (outdated_title if proposal.id in outdated else offer_title)(proposal),
            "accept_title": accept_title(proposal),
        }


def _decisions(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """Newest first."""
    found = [(d, p) for p in backend.store.proposals(path=unit.path) for d in backend.store.decisions(p.id)]
    for decision, proposal in sorted(found, key=lambda pair: -pair[0].decided_ms):
        yield {"uri": _home(backend, unit, proposal), **encode(decision), **_decided(decision, proposal)}


def _home(backend: Backend, unit: Unit, proposal: Proposal) -> str:
    """The document of a proposal's kernel, also where it is listed for another file that it touches."""
    return unit.uri if proposal.path == unit.path else backend.editor.key_of(proposal.path) or proposal.path.as_uri()


def _decided(decision: Decision, proposal: Proposal) -> dict[str, Any]:
    words = decision.kind.value.replace("_", " ")
    because = decision.reason or decision.reason_code
    headline = f"{words}: {decided_title(proposal)}" + (f" ({because})" if because else "")
    return {"kernel": proposal.kernel, "title": offer_title(proposal), "state": proposal.state.value, "headline": headline}


def _pairs(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """Open sessions with their ladder, oldest version first."""
    for session in backend.store.pair_sessions(unit.path):
        yield {"uri": unit.uri, **_session(session, backend.pairs.state(session.id))}


def _session(session: PairSession, state: PairState) -> dict[str, Any]:
    versions = [
        {
            "number": version.number,
            "name": version_name(version.number),
            "headline": "the baseline" if version.number == 0 else version.turn.answer.removeprefix(f"{version_name(version.number)}: "),
            "outcome": None if version.turn.outcome is None else version.turn.outcome.value,
            "ratio": version.ratio,
            "is_best": version == state.best,
            "is_current": version == state.current,
        }
        for version in state.versions
    ]
    constraints = [constraint.with_enforcement for constraint in state.constraints]
    return {"session_id": session.id, "kernel": session.kernel, "goal": session.goal, "constraints": constraints, "versions": versions}


def _cases(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """What each kernel's edit and proposals were verified on."""
    for kernel, part in backend.editor.comparisons(unit.key):
        tests = [encode(test) for test in part.tests]
        place = {
            "document_line": _line(unit, kernel.line),
            "verdict": part.verdict,
            "reasons": [unit.said(reason) for reason in part.reasons],
        }
        named = {"name": kernel.name, "proposal_id": part.proposal, "state": part.state, "title": part.title}
        yield unit.arguments(kernel.key) | named | place | {"tests": tests}


def _programs(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """Those that could run its kernels; none before they are known."""
    programs = backend.editor.view(unit.key).programs
    used = None if programs is None else programs.program
    for program in () if programs is None else programs.search.found:
        names = [unit.name for unit in program.units]
        yield {
            "uri": unit.uri,
            "name": program.name,
            "why": program.why,
            "units": names,
            "is_used": used is not None and used.name == program.name,
        }


def _builds(backend: Backend, unit: Unit) -> Iterator[dict[str, Any]]:
    """The build that could say more of its programs, and the command that has it do so; none where there is none."""
    programs = backend.editor.view(unit.key).programs
    if programs is not None and programs.way is not None:
        command, arguments = build_command(programs.way)
        yield {"uri": unit.uri, "title": way_title(programs.way), "command": command, "arguments": {"uri": unit.uri, **arguments}}


def build_command(way: BuildWay) -> tuple[str, dict[str, str]]:
    """The command of this server that has a build report more, and what it takes besides the document."""
    if way.command is None:
        return "kernelopt.program.configure", {}
    return "kernelopt.program.record", {"command": way.command}


LISTS = {
    "kernels": _kernels,
    "proposals": _proposals,
    "decisions": _decisions,
    "pair": _pairs,
    "cases": _cases,
    "programs": _programs,
    "builds": _builds,
}
"""Name of a list → its items."""


def _placed(report: Report, unit: Unit) -> Report:
    return replace(report, kernels=tuple(_placed_kernel(kernel, unit) for kernel in report.kernels))


def _placed_kernel(kernel: KernelPart, unit: Unit) -> KernelPart:
    launches = tuple(
        replace(
            launch,
            rows=tuple(replace(row, now=None if row.now is None else _line(unit, row.now)) for row in launch.rows),
            findings=tuple(replace(finding, line=_line(unit, finding.line)) for finding in launch.findings),
        )
        for launch in kernel.launches
    )
    return replace(kernel, line=_line(unit, kernel.line), launches=launches)


def _line(unit: Unit, line: int) -> int:
    """The document's 0-based line of a 1-based one of the text."""
    return unit.line_range(line).start.line
