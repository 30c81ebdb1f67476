"""One source that a front end has open: its text, its parse, what jobs reported on it, and the view of all that."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.match import kernel_meant
from assistant.cuda.parse import parse_with_trees
from assistant.cuda.syntax import SyntaxTree
from assistant.editor.accepted import is_acceptance, without_device_diagnostics, without_diagnostics
from assistant.editor.analysis import Analysis
from assistant.editor.headers import Headers
from assistant.editor.left_results import LeftResults, kernels_changed
from assistant.editor.live_accesses import LiveAccesses
from assistant.editor.offer_words import is_to_be_made
from assistant.editor.picture import view_of
from assistant.editor.report import Report, build_report, comparisons
from assistant.editor.report_comparison import ComparisonPart
from assistant.editor.searched import Searched
from assistant.editor.shared_answers import own
from assistant.editor.static_notes import StaticNotes, moved_notes
from assistant.editor.tasks import Task, Verb
from assistant.editor.view import KernelView, Note, PairView, View
from assistant.engine import FilePrograms, answer_key, event_from, event_json
from assistant.model.events import Event, JobEnded, JobStarted, Profile, ProfileSummary
from assistant.model.launch import Dim3
from assistant.model.program import FoundProgram
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.workload import LiveWorkload
from assistant.ports.store import StoredAnalysis
from assistant.record import Record
from assistant.serialize import DecodeError
from assistant.workload.blocks import sidecar_path, workload_blocks

__all__ = ["InnerText", "OpenDocument", "written_anew"]

_SOURCE = ".cu"
_OF_SOME = ":some"
"""Suffix of a command's name: its answer covers only some kernels of the source."""
_CANNOT_ANSWER = 3
"""Exit code (docs/reference/cli.md)."""


class InnerText(Record):
    """A text inside something else, a notebook's cell or a string in Python: it is part of no program."""

    writes: Path | None = None
    """The file that holds it once its cell was run; None for all but cells of ``%%writefile``."""


class OpenDocument:
    """The text may be ahead of the parse; the parse and the view belong together."""

    def __init__(self, key: str, path: Path, text: str, inner: InnerText | None = None) -> None:
        """``inner``: None where it is a file."""
        self.inner = inner
        self.key = key
        self.path = path
        self.text = text
        self.live: LiveWorkload | None = None
        """Arrays of a notebook that are its workload."""
        self.region: str | None = None
        """As ``JobRequest.region``, for all jobs on it."""
        self._analyses: dict[str, Analysis] = {}
        self._partial: dict[str, list[Event]] = {}
        """By job: what it reported so far."""
        self._overtaken: set[str] = set()
        """Jobs that may have read what has changed since."""
        self.proposals: tuple[Proposal, ...] = ()
        """Open ones, also those that its text no longer has room for."""
        self._held_back: frozenset[str] = frozenset()
        """Ids of proposals that another file of theirs has no room for."""
        self._pairs: tuple[PairView, ...] = ()
        self._outdated: set[str] = set()
        self._read: tuple[str, tuple[Note, ...]] | None = None
        """The text that was last parsed as a whole, and the notes on it."""
        self._searched = Searched()
        self._left = LeftResults()
        self._notes = StaticNotes()
        self._trees: tuple[SyntaxTree, ...] = ()
        """Of the text that was parsed last."""
        self._setup: object = None
        self._programs: FilePrograms | None = None
        self._headers = Headers()
        self._parse()

    @property
    def is_parsed(self) -> bool:
        """Whether the view is of the current text."""
        return self.parsed.source.text == self.text and self.parsed.source.path == self.path

    @property
    def has_workload(self) -> bool:
        """Whether there is anything to run: arrays, a ``main()``, shapes declared in the text or in its sidecar file, a program of it."""
        return self.live is not None or self.parsed.has_main or self._is_declared or self.program is not None

    @property
    def may_be_of_extension(self) -> bool:
        """Whether a PyTorch extension may build it, whose headers and flags its declared launches need."""
        return self.inner is None and self.live is None and self._is_declared and not self.parsed.has_main

    @property
    def may_have_program(self) -> bool:
        """Whether a program is looked for: not for what is run on arrays, or on shapes that are declared with it."""
        return self.inner is None and self.live is None and (self.parsed.has_main or not self._is_declared)

    @property
    def program(self) -> FoundProgram | None:
        """That runs it, as far as that is known and clear."""
        return None if self._programs is None else self._programs.program

    def is_run_as(self, other: OpenDocument) -> bool:
        """Whether the same program runs both."""
        mine, theirs = self.program, other.program
        return mine is not None and theirs is not None and (mine.units, mine.flags) == (theirs.units, theirs.flags)

    def is_made_with(self, paths: Collection[Path]) -> bool:
        """Whether one of these is another file of its program."""
        return self.program is not None and any(path != self.path and path in self.program.files for path in paths)

    @property
    def _is_declared(self) -> bool:
        return bool(workload_blocks(self.parsed.source.text)) or sidecar_path(self.path).is_file()

    @property
    def is_compiled(self) -> bool:
        """Whether compilers are asked about it: it has kernels, it is a whole source, or it was compiled while it had kernels.

        A header without kernels has no meaning of its own.
        """
        is_whole = self.path.suffix == _SOURCE and bool(self.text.strip())
        return bool(self.parsed.kernels) or is_whole or Verb.INSPECT.value in self._analyses

    def saved(self) -> bool:
        """The text is on disk as it is: edits are compared with it from now on. True when the view changed."""
        self.reparse()
        self._accesses.saved()
        was, self._edited = self._edited, ()
        if was:
            self._look()
        return bool(was)

    def decided(self, proposal: Proposal) -> None:
        """The text shows what a person accepted of the proposal, or undid: what was counted before is no longer of its kernels' lines."""
        self.reparse()
        self._accesses.saved()
        self._edited = ()
        change = proposal.change_of(self.path)
        meant = kernel_meant(self.parsed, proposal.kernel) if proposal.path == self.path else None
        changed = set[str]() if meant is None else {meant.key}
        if change is not None:
            changed |= kernels_changed(self.parsed, change.after_text if self.text == change.before_text else change.before_text)
        self._left.leave(self._analyses.get(Verb.PROFILE.value), changed)
        self._look()

    def reparse(self) -> None:
        """Bring parse and view up to the text."""
        if not self.is_parsed:
            self._parse()

    def recall(self, stored: Sequence[StoredAnalysis]) -> None:
        """Take over the answers that memory has on this text in its program; what could not be answered is tried again."""
        key = self._answer_key(self.text)
        for analysis in sorted(stored, key=lambda one: one.command.endswith(_OF_SOME)):  # whole answers come first
            command = analysis.command.removesuffix(_OF_SOME)
            if analysis.text_sha256 == key and command not in self._analyses:
                try:
                    events = tuple(event_from(json.loads(line)) for line in analysis.events)
                except (DecodeError, ValueError):
                    continue  # written by another version: it will be made again
                if any(isinstance(event, JobEnded) and event.exit_code == _CANNOT_ANSWER for event in events):
                    continue  # what was in the way, a compiler or a missing file, may be there by now
                self._analyses[command] = Analysis(self.text, tuple(own(events)))
                if command != analysis.command:
                    self._outdated.add(command)
        self._look()

    def has_answer(self, command: str) -> bool:
        """Whether the command has answered on the current text."""
        analysis = None if command in self._outdated else self._analyses.get(command)
        return analysis is not None and analysis.text == self.text

    def is_reached_by(self, changed: Collection[Path]) -> bool:
        """Whether one of these is included by it (through other headers too, by name), of its program, or declares its workload."""
        names = frozenset(path.name for path in changed)
        return (
            not names.isdisjoint(self._headers.routes(self.path, self.text))
            or self.is_made_with(changed)
            or sidecar_path(self.path) in changed
        )

    def take_programs(self, programs: FilePrograms | None) -> bool:
        """Set the programs that it is part of; True when they changed."""
        before, self._programs = self._programs, programs
        if before == programs:
            return False
        if before is not None and _made_of(before) != _made_of(programs):
            self.outdate()
        self._look()
        return True

    def set_up(self, setup: object) -> None:
        """What jobs work with in addition to the text; answers given under another setup have to be given again."""
        if self._setup is not None and self._setup != setup:
            self.outdate()
        self._setup = setup

    def outdate(self) -> None:
        """Something that the source is compiled with changed: every answer has to be given again, and is shown until it is."""
        self._headers.forget()
        self._outdated |= set(self._analyses)
        self._overtaken |= set(self._partial)

    def begin(self, job_id: str) -> None:
        """A job starts to read the source and its files."""
        self._partial.setdefault(job_id, [])

    def collect(self, job_id: str, task: Task, event: Event) -> bool:
        """Keep one event of a job's answer; True when the view changed: it was the last, or says that the device code compiles."""
        events = self._partial.setdefault(job_id, [])
        events.append(event)
        if not isinstance(event, JobEnded):
            return is_acceptance(event) and self._accept(task.text)
        del self._partial[job_id]
        command, events = task.verb.value, own(events)
        is_whole = task.request.kernel is None
        if not is_whole:
            events = [*self._of_others(command, task.text, events), *events]
            is_whole = task.text == self.text and self._are_all_in(events)
        if job_id in self._overtaken:
            self._overtaken.discard(job_id)
            self._outdated.add(command)
        elif is_whole:
            self._outdated.discard(command)
        self._analyses[command] = Analysis(task.text, tuple(events))
        if task.verb is Verb.INSPECT:
            self._analyses = {c: a if a.text == task.text else without_diagnostics(a) for c, a in self._analyses.items()}
        self._look()
        return True

    def follows(self, job_id: str) -> bool:
        """Whether it is still to be said what the job found."""
        return job_id in self._partial

    def leave(self, job_id: str) -> None:
        """What the job finds is known: it stays so where the text changes on the way, as the beginning of its answer would be missing."""
        self._partial.pop(job_id, None)

    def take_profile(self, job_id: str, task: Task) -> None:
        """A search has reported the profile of the code as it was; where a GPU could time its launches, that is still to be done."""
        is_to_be_timed = any(isinstance(event, Profile) and event.device.kind == "gpu" for event in self.heard(job_id))
        self.collect(job_id, task, JobEnded(job_id, 0, ""))
        if is_to_be_timed:
            self._outdated.add(task.verb.value)

    def heard(self, job_id: str) -> tuple[Event, ...]:
        """What one of its jobs has reported so far, of kernels in other files too; nothing once the source changed under it."""
        return () if job_id in self._overtaken else tuple(self._partial.get(job_id, ()))

    def take(self, command: str, text: str, reported: Sequence[Event]) -> bool:
        """Take what a job on another file of its program reported of this one's ``text``; True when the view changed.

        What leaves out kernels is no answer, and shown only until there is one.
        """
        is_whole = text == self.text and self._are_all_in(reported)
        if not _kernels_of(reported) - {None} or (not is_whole and self.has_answer(command)):
            return False
        self._analyses[command] = Analysis(text, tuple(reported))
        (self._outdated.discard if is_whole else self._outdated.add)(command)
        self._look()
        return True

    def report(self, proposals: Sequence[Proposal]) -> Report:
        """The whole profile, with ``proposals`` of the file in any state."""
        return build_report(self.parsed, self.view, self._analyses.get(Verb.PROFILE.value), self._analyses.get(Verb.JUDGE.value), proposals)

    def comparisons(self, proposals: Sequence[Proposal]) -> tuple[tuple[KernelView, ComparisonPart], ...]:
        """The part of the report that says how edits and proposals of each kernel compared."""
        judged = self._analyses.get(Verb.JUDGE.value)
        return tuple((kernel, part) for kernel in self.view.kernels for part in comparisons(self.parsed, kernel, judged, proposals))

    @property
    def started(self) -> JobStarted | None:
        """Where the last of its jobs ran; None before any."""
        answers = reversed(list(self._analyses.values()))
        return next((event for analysis in answers for event in analysis.all(JobStarted)), None)

    def stored(self, command: str) -> StoredAnalysis:
        """An answer that was collected, for memory; one that is missing kernels goes by a name of its own."""
        analysis = self._analyses[command]
        events = tuple(event_json(event) for event in analysis.events)
        name = f"{command}{_OF_SOME}" if command in self._outdated else command
        return StoredAnalysis(name, self._answer_key(analysis.text), events)

    def searched(self, job_id: str, task: Task, event: Event) -> bool:
        """Take what a search for edits says; True when the view changed."""
        if is_news := self._searched.heard(job_id, self.parsed, task.text, event):
            self._look()
        return is_news

    def abandon(self, job_id: str) -> bool:
        """The job ended without an answer; the earlier answer stays. True when the view changed."""
        self._partial.pop(job_id, None)
        self._overtaken.discard(job_id)
        is_news = self._searched.broken_off(job_id)
        if is_news:
            self._look()
        return is_news

    def offer(self, proposals: tuple[Proposal, ...], pairs: tuple[PairView, ...] = ()) -> bool:
        """Set the open proposals and pair sessions; True when they changed."""
        if [p.id for p in proposals] == [p.id for p in self.proposals] and pairs == self._pairs:
            return False
        self.proposals, self._pairs = proposals, pairs
        self._look()
        return True

    def hold_back(self, ids: frozenset[str]) -> bool:
        """Offer these proposals no more, and others again; True when the view changed."""
        if ids == self._held_back:
            return False
        self._held_back = ids
        self._look()
        return True

    def _answer_key(self, text: str) -> str:
        """What answers on a text of it are kept by."""
        return answer_key(Source(self.path, text).sha256, "" if self._programs is None else self._programs.others_sha256)

    def _accept(self, text: str) -> bool:
        """The device code of ``text`` compiles: earlier compiler messages on it are dropped."""
        if text != self.text:
            return False
        self._analyses = {command: without_device_diagnostics(self.path, analysis) for command, analysis in self._analyses.items()}
        self._look()
        return True

    def _are_all_in(self, reported: Sequence[Event]) -> bool:
        """Whether events are about every kernel of the text."""
        return {kernel.key for kernel in self.parsed.kernels} <= _kernels_of(reported)

    def _of_others(self, command: str, text: str, events: Sequence[Event]) -> list[Event]:
        """Events of the earlier answer on this text about the other kernels; without one, those stay unanswered."""
        earlier = self._analyses.get(command)
        if earlier is None or earlier.text != text:
            self._outdated.add(command)
            return []
        answered = _kernels_of(events) | {None}
        return [event for event in earlier.events if getattr(event, "kernel", None) not in answered]

    def _parse(self) -> None:
        is_first = self._read is None
        self.parsed, trees = parse_with_trees(Source(self.path, self.text), self._trees)
        self._trees = trees
        if len(trees) == 1 or self._read is None:
            self._read = (self.text, self._notes.of(self.parsed, trees))
        self._static = moved_notes(self._read[1], self._read[0], self.text)
        if is_first:
            self._accesses = LiveAccesses(self.parsed, trees)
        self._edited = self._accesses.lines(self.parsed, trees, self._blocks())
        self._look()

    def _blocks(self) -> dict[str, tuple[Dim3, ...]]:
        """Of the launches that were counted, by kernel."""
        counted = self._analyses.get(Verb.PROFILE.value)
        found: dict[str, tuple[Dim3, ...]] = {}
        for summary in () if counted is None else counted.all(ProfileSummary):
            found[summary.kernel] = tuple(dict.fromkeys((*found.get(summary.kernel, ()), Dim3(*summary.block))))
        return found

    def _look(self) -> None:
        text = self.parsed.source.text
        routes = self._headers.routes(self.path, text)
        offered = tuple(each for each in self.proposals if each.id not in self._held_back and is_to_be_made(each, self.path, text))
        analyses = {command: self._left.shown(analysis, text) for command, analysis in self._analyses.items()}
        view = view_of(self.parsed, analyses, offered, self._static, routes, self._searched.in_vain)
        running = self._searched.running
        kernels = tuple(replace(kernel, search=running.get(kernel.key)) for kernel in view.kernels)
        self.view: View = replace(view, kernels=kernels, pairs=self._pairs, programs=self._programs, live=self._edited)


def written_anew(before: OpenDocument | None, text: str, inner: InnerText | None) -> tuple[Path, ...]:
    """The files that running a cell writes otherwise now than before."""
    after = None if inner is None else (inner.writes, text)
    old = None if before is None or before.inner is None else (before.inner.writes, before.text)
    return () if old == after else tuple(side[0] for side in (old, after) if side is not None and side[0] is not None)


def _made_of(programs: FilePrograms | None) -> object:
    """What answers depend on."""
    return None if programs is None or programs.program is None else (programs.program.units, programs.others_sha256)


def _kernels_of(events: Sequence[Event]) -> set[str | None]:
    """Keys of the kernels that these events are about."""
    return {getattr(event, "kernel", None) for event in events}
