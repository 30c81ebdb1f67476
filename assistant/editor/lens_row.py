"""The row over a kernel: what is known of it in two words, and what can be done about it; at most `ROW_CHARACTERS` together. Pure.

An action stands there while its answer is not known; then the answer takes its place. Everything else is in the tooltips. Example::

    [lens.title for lens in kernel_row(kernel, view)]     # ['≈ L1-bound', 'Optimize']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from assistant.editor.compile_words import compile_error
from assistant.editor.offer_words import OUTDATED, accept_title, gain, offer_origin, outdated_origin
from assistant.editor.program_words import is_run_by_none, program_about, program_lens
from assistant.editor.view import KernelView, Note, View
from assistant.engine import KernelPlace
from assistant.engine.report import bound_in_words, limit_in_words, peak_in_words, ratio_in_words
from assistant.model.profile import Severity
from assistant.profile.bottleneck import NOT_COUNTED
from assistant.profile.problems import defect_in_words, listed, problem_in_words, problems_in_words
from assistant.profile.quantity import format_quantity
from assistant.record import Record

__all__ = [
    "NOT_PROFILED",
    "ROW_CHARACTERS",
    "SEPARATOR",
    "Lens",
    "LensAction",
    "checked_in_words",
    "headline",
    "in_vain",
    "kernel_row",
    "program_row",
    "search_in_words",
    "state_in_words",
    "state_origin",
]

ROW_CHARACTERS = 60
"""Of all lenses of a kernel with what editors put between them: a longer row is cut off beside a side bar."""
SEPARATOR = " | "
"""VS Code's, between lenses of a line."""
NOT_PROFILED = "not profiled yet"
_MEMORIES = frozenset({"dram", "l2"})
_DECLARE = "Writes a block before the kernel that says on which shapes and values it runs: then it can be verified, profiled and optimized."
_WITHIN_WARP = "missing syncwarp"
"""Where other warps race there, too, no ``__syncwarp`` would end it."""
_SCREENED = "A search goes on; the best edit so far is confirmed on fresh values before it is offered."
_LEAST_NAME = 8
"""Characters that are left of a name, at least."""


class LensAction(StrEnum):
    """What a click does."""

    EXPLAIN = "explain"
    CHECK = "check"
    PROFILE = "profile"
    OPTIMIZE = "optimize"
    REVIEW = "review"
    ACCEPT = "accept"
    PROGRAM = "program"
    """Choose the program that runs the kernel."""
    DECLARE = "declare"
    """Write a workload to fill in before the kernel."""
    OPEN = "open"
    """Go to a line of this file, or to a kernel of another one."""
    CONSENT = "consent"
    """Answer whether the program may run."""
    PAIR_WHY = "pair why"
    PAIR_SUGGEST = "pair suggest"
    PAIR_STOP = "pair stop"


class Lens(Record):
    title: str
    action: LensAction
    tooltip: str = ""
    place: KernelPlace | None = None
    """What ``OPEN`` opens in another file."""
    line: int | None = None
    """What it goes to in this one."""


def kernel_row(kernel: KernelView, view: View) -> tuple[Lens, ...]:
    """The lenses of one kernel, the answer first; the first kernel of a file names its program, kernels that share a line themselves."""
    lenses = [*_state(kernel, view), *_actions(kernel, view)]
    is_alone = sum(other.line == kernel.line for other in view.kernels) == 1
    if not is_alone:
        room = max(_LEAST_NAME, ROW_CHARACTERS - _length(lenses) - len(": "))
        lenses[0] = replace(lenses[0], title=f"{_fitted(kernel.name, room)}: {lenses[0].title}")
    if (excess := _length(lenses) - ROW_CHARACTERS) > 0:
        lenses[0] = replace(lenses[0], title=_fitted(lenses[0].title, len(lenses[0].title) - excess))
    if kernel is view.kernels[0] and (title := program_lens(view.programs)) is not None:
        room = ROW_CHARACTERS - _length(lenses) - len(SEPARATOR)
        if room >= _LEAST_NAME and (fitted := _fitted_program(title, room)):
            lenses.append(Lens(fitted, LensAction.PROGRAM, program_about(view.programs)))
    return tuple(lenses)


def program_row(view: View) -> tuple[Lens, ...]:
    """``runs step | row_mean | 3 more | Optimize`` over a ``main()`` whose kernels are all in other files: each opens its kernel."""
    places = () if view.programs is None or view.kernels else view.programs.elsewhere
    if not places:
        return ()
    lenses: list[Lens] = []
    optimize = Lens("Optimize", LensAction.OPTIMIZE, "Searches on all kernels that this program runs.")
    width = ROW_CHARACTERS - len(f"{SEPARATOR}{optimize.title}")
    for index, place in enumerate(places):
        title = place.name if lenses else f"runs {place.name}"
        left = len(places) - index - 1
        room = width - _length(lenses) - (len(SEPARATOR) if lenses else 0)
        if lenses and len(title) + (len(f"{SEPARATOR}{left} more") if left else 0) > room:
            lenses.append(_opening(place, f"{left + 1} more"))
            break
        lenses.append(_opening(place, _fitted(title, room - (len(f"{SEPARATOR}{left} more") if left else 0))))
    return (*lenses, optimize)


def state_in_words(kernel: KernelView, notes: Sequence[Note]) -> str:
    """What is known of a kernel, in a few words: ``race at line 14``, ``≈ L1-bound``, ``3.42 µs · DRAM-bound``; empty: nothing is."""
    if (error := _compile_error(kernel, notes)) is not None:
        return f"does not compile: line {error.line}"
    if defects := _defects(kernel, notes):
        more = f" +{len(defects) - 1}" if len(defects) > 1 else ""
        return f"{_defect_kind(defects[0])} at line {defects[0].line}{more}"
    if kernel.check is not None and not kernel.check.launch_count and not kernel.check.problems:
        return "never launched"
    if kernel.check is not None and kernel.check.is_deterministic is False:
        return "results differ from run to run"
    return _speed(kernel)


def in_vain(kernel: KernelView, notes: Sequence[Note]) -> str:
    """``no edit found: 1 edit tried, not faster``; empty: nothing was searched, or there is something to fix first."""
    if kernel.in_vain is None or _compile_error(kernel, notes) is not None or _defects(kernel, notes):
        return ""
    return ": ".join(filter(None, ("no edit found", kernel.in_vain)))


def search_in_words(kernel: KernelView) -> str:
    """``trying 3 of 5 · best ≈1.57x``, ``5 tried · best ≈1.57x``, ``confirming · best ≈1.57x`` on fresh values, ``optimizing`` before a
    plan; empty: no search goes on."""
    if kernel.search is None:
        return ""
    planned, tried = kernel.search.planned_count, kernel.search.tried_count
    how_far = "optimizing" if not planned else f"trying {tried + 1} of {planned}" if tried < planned else f"{tried} tried"
    how_far = "confirming" if kernel.search.is_confirming else how_far
    best = () if kernel.search.best_ratio is None else (f"best ≈{ratio_in_words(kernel.search.best_ratio)}",)
    return " · ".join((how_far, *best))


def headline(kernel: KernelView, notes: Sequence[Note]) -> str:
    """What is known of a kernel, and what is not yet, in one line: ``≈ L2-bound · checked: no problem found``."""
    parts = [state_in_words(kernel, notes) or NOT_PROFILED, *filter(None, (search_in_words(kernel),))]
    return " · ".join(filter(None, (*parts, checked_in_words(kernel, notes))))


def checked_in_words(kernel: KernelView, notes: Sequence[Note]) -> str:
    """``checked: no problem found``; empty where it was not checked, never launched, does not compile, or has a defect, which is said in
    its place."""
    is_answered = _compile_error(kernel, notes) is None and not _defects(kernel, notes)
    if kernel.check is None or not kernel.check.launch_count or not is_answered:
        return ""
    return f"checked: {problems_in_words(listed(kernel.check.problems))}"


def _state(kernel: KernelView, view: View) -> Iterator[Lens]:
    if (error := _compile_error(kernel, view.notes)) is not None:
        yield Lens(state_in_words(kernel, view.notes), LensAction.OPEN, f"{error.source}: {error.message}", line=error.line)
        return
    if kernel.proposal is not None:
        title, origin = (OUTDATED, outdated_origin) if kernel.is_offer_outdated else (gain(kernel.proposal), offer_origin)
        yield Lens(title, LensAction.REVIEW, "\n".join(origin(kernel.proposal)))
        return
    if (other := next((each for each in view.kernels if each.key == kernel.in_edit_of), None)) is not None and other.proposal is not None:
        title = " · ".join(filter(None, (_known(kernel, view), f"in the edit of {other.name}")))
        yield Lens(title, LensAction.OPEN, "\n".join(offer_origin(other.proposal)), line=other.line)
        return
    if pair := next((pair for pair in view.pairs if pair.kernel == kernel.name), None):
        yield Lens(pair.headline, LensAction.PAIR_WHY, pair.headline)
        return
    if view.waits_for_consent and not kernel.launches:
        yield Lens(
            "waiting for your OK", LensAction.CONSENT, "The program has to run to be verified and profiled: click to see the command."
        )
    elif title := " · ".join(filter(None, (_known(kernel, view), search_in_words(kernel), _vain_in_short(kernel, view)))):
        checked = "" if kernel.is_stale else checked_in_words(kernel, view.notes)
        about = (state_origin(kernel, view.notes), checked, _SCREENED if search_in_words(kernel) else in_vain(kernel, view.notes))
        yield Lens(title, LensAction.EXPLAIN, "\n".join(filter(None, about)))


def _known(kernel: KernelView, view: View) -> str:
    """What is known; where that is not its speed yet, that a check found nothing, in one word, so that its program has room next to it."""
    is_checked = not kernel.is_stale and not kernel.launches and checked_in_words(kernel, view.notes) != ""
    return state_in_words(kernel, view.notes) or ("checked" if is_checked else "")


def _vain_in_short(kernel: KernelView, view: View) -> str:
    """Of the last search, while no other goes on."""
    return "" if kernel.search is not None else in_vain(kernel, view.notes).partition(":")[0]


def _actions(kernel: KernelView, view: View) -> Iterator[Lens]:
    is_paired = any(pair.kernel == kernel.name for pair in view.pairs)
    if not is_paired and _compile_error(kernel, view.notes) is not None:
        return
    if kernel.proposal is not None:
        yield Lens("Review", LensAction.REVIEW)
        yield Lens(accept_title(kernel.proposal), LensAction.ACCEPT)
    elif is_paired:
        yield Lens("Suggest", LensAction.PAIR_SUGGEST)
        yield Lens("Stop", LensAction.PAIR_STOP, "Stop pairing")
    elif is_run_by_none(view.programs) and not kernel.launches:
        yield Lens("Declare a workload", LensAction.DECLARE, _DECLARE)
        return
    elif kernel.search is None and not _defects(kernel, view.notes):
        yield Lens("Optimize", LensAction.OPTIMIZE)
    if kernel.proposal is None and not is_paired:
        if kernel.check is None or _defects(kernel, view.notes):
            yield Lens("Verify", LensAction.CHECK)
        if not kernel.launches:
            yield Lens("Profile", LensAction.PROFILE)


def _opening(place: KernelPlace, title: str) -> Lens:
    return Lens(title, LensAction.OPEN, f"{place.name}: {place.file.name}, line {place.line}", place)


def _compile_error(kernel: KernelView, notes: Sequence[Note]) -> Note | None:
    """The first error of a compiler in the kernel, else in its file; None where it compiles, or was not compiled."""
    return compile_error([note for note in notes if kernel.line <= note.line <= kernel.last_line]) or compile_error(notes)


def _defects(kernel: KernelView, notes: Sequence[Note]) -> list[Note]:
    """Errors that a run of the kernel exposed, where they are now, also in functions that it calls; a race between warps explains more
    than one within a warp."""
    exposed = () if kernel.check is None else {(defect_in_words(p), problem_in_words(p)) for p in kernel.check.problems}
    errors = (note for note in notes if note.defect and note.severity is Severity.ERROR)
    found = [n for n in errors if kernel.line <= n.line <= kernel.last_line or (n.defect, n.message) in exposed]
    return sorted(found, key=lambda note: _defect_kind(note) == _WITHIN_WARP)


def _defect_kind(note: Note) -> str:
    kind = note.defect.partition(",")[0]
    return "race" if kind.endswith(" race") else kind


def _speed(kernel: KernelView) -> str:
    if not kernel.launches:
        return ""
    summary = kernel.launches[0].summary
    bound = "" if summary.bottleneck == NOT_COUNTED else bound_in_words(summary.bottleneck)
    if summary.measured is not None:
        text = " · ".join(part for part in (format_quantity(summary.measured.time_s, "s"), bound) if part)
    else:
        text = f"≈ {bound}" if bound else "nothing was counted"
    return f"before the edit: {text}" if kernel.is_stale else text


def state_origin(kernel: KernelView, notes: Sequence[Note]) -> str:
    """A line each: what limits, how near to the peak, who says so."""
    lines = [note.message for note in _defects(kernel, notes)]
    if kernel.launches:
        lines += _speed_origin(kernel)
    return "\n".join(lines)


def _speed_origin(kernel: KernelView) -> Iterator[str]:
    summary = kernel.launches[0].summary
    profile = next((launch.profile for launch in kernel.launches if launch.profile is not None), None)
    target = "the target" if profile is None else profile.device.target
    counter = "" if profile is None else f" from counts of {profile.device.name}"
    if summary.measured is None and summary.bottleneck == NOT_COUNTED:
        yield f"limited by {limit_in_words(NOT_COUNTED)}"
    elif summary.measured is None:
        yield f"predicted for {target}{counter}; nothing was timed"
    else:
        yield f"median of a launch, timed by {summary.measured.method} on {'a GPU' if profile is None else profile.device.name}"
    if summary.speed_of_light_ratio is not None:
        limit = summary.speed_of_light_limit or summary.bottleneck
        useful = "traffic" if limit in _MEMORIES else "arithmetic"
        yield f"useful {useful}: at least {peak_in_words(summary.speed_of_light_ratio, limit)}"
    if summary.launch_count > 1 or len(kernel.launches) > 1:
        shapes = f", the costliest of {len(kernel.launches)} launch shapes" if len(kernel.launches) > 1 else ""
        yield f"each of {summary.launch_count:,} launches{shapes}"


def _length(lenses: Sequence[Lens]) -> int:
    return len(SEPARATOR.join(lens.title for lens in lenses))


def _fitted(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(1, room - 1)]}…"


def _fitted_program(title: str, room: int) -> str:
    """The end of a program's name says more than its beginning; empty where not even its file's own name has room."""
    if len(title) <= room:
        return title
    if not title.startswith("via "):
        return _fitted(title, room)
    return f"via …{title[len('via …') - room :]}" if room >= len("via …") + len(title.rpartition("/")[2]) else ""
