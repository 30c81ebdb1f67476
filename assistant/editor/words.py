"""The texts that editors show: short ones for lenses and hints, tables for hovers and panels. Every number has its unit and method.

Front ends differ in where they put these, not in what they say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from assistant.cuda.changes import changes_diff
from assistant.editor.markdown import fenced, line_by_line, tamed
from assistant.editor.offer_words import offer_title
from assistant.editor.picture import alternative_lines, comparison_sentence, evidence_value
from assistant.editor.program_words import program_about
from assistant.editor.view import CodeView, KernelView, LaunchView, LineView, Note, View
from assistant.engine.report import label_in_words, limit_in_words, peak_in_words
from assistant.model import event_parts, events
from assistant.model.embedded import EmbeddingProblem
from assistant.model.pair import Turn, TurnKind
from assistant.model.profile import Evidence, Severity
from assistant.model.proposal import Proposal
from assistant.model.short_ids import with_short_ids
from assistant.profile.catalogue import METRICS
from assistant.profile.evidence import made_by
from assistant.profile.fact_words import metric_in_words, quantity_in_words
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.profile.thresholds import threshold
from assistant.profile.wording import percent

__all__ = [
    "HINT_LIMIT",
    "comparison_sentence",
    "counter_source",
    "fitted",
    "hot_lines",
    "ignored_text_message",
    "is_beyond_ideal",
    "is_short_of_resources",
    "kernel_page",
    "kernel_table",
    "line_hint",
    "line_origin",
    "line_page",
    "line_table",
    "line_words",
    "pair_headline",
    "program_sentence",
    "proposal_text",
    "resource_hint",
    "resource_line",
    "resource_origin",
]

HINT_LIMIT = 43
"""Characters; VS Code cuts the hints of a line here (its ``editor.inlayHints.maximumLength``). What does not fit is in the tooltip."""
_BEFORE_ACCEPTING = "Know before accepting"
"""As the page of an explanation says it, with more words to each."""
_SHOWN_INSTANCES = 2
_SHOWN_INSTRUCTIONS = 24
"""Instructions shown for a line; an unrolled loop has hundreds."""
_HOT_SHARE = 0.1
"""A line is hot from this share of its kernel's requests on."""
_EXCESS_RATIO = 1.1
"""Counters beyond the ideal by less are not worth a mark."""


def program_sentence(found: events.TimelineFound) -> str:
    """``a.cu: 62 % of GPU time is in 2 kernels (relax, norm); 21 % are gaps``."""
    return found.headline if found.program is None else f"{found.program}: {found.headline}"


def resource_hint(kernel: KernelView) -> str | None:
    """``1,200 B spilled, 40 registers``, spills first; as much as fits, or None before a compile.

    Of several instances, the one with most registers.
    """
    if not kernel.resources:
        return None
    worst = _worst_instance(kernel)
    spilled = [f"{worst.spill_bytes:,} B spilled"] if worst.spill_bytes else []
    shared = [f"{worst.static_shared_bytes:,} B shared"] if worst.static_shared_bytes else []
    return fitted([*spilled, f"{worst.registers_per_thread} registers", *_occupancy(kernel, worst), *shared])


def is_short_of_resources(kernel: KernelView) -> bool:
    """Whether registers are spilled, or few warps are resident: what a person has to see who did not ask."""
    if not kernel.resources:
        return False
    counted = _launch_occupancy(kernel)
    return _worst_instance(kernel).spill_bytes > 0 or (counted is not None and counted[0] < threshold("low_occupancy"))


def resource_line(kernel: KernelView) -> str:
    """``40 registers, occupancy 75 %, 4,096 B shared (ptxas, sm_90)``; empty before a compile."""
    if not kernel.resources:
        return ""
    worst = _worst_instance(kernel)
    spilled = [f"{worst.spill_bytes:,} B spilled"] if worst.spill_bytes else []
    shared = [f"{worst.static_shared_bytes:,} B shared"] if worst.static_shared_bytes else []
    found = ", ".join([*spilled, f"{worst.registers_per_thread} registers", *_occupancy(kernel, worst), *shared])
    return f"{found} (ptxas, {worst.architecture})"


def resource_origin(kernel: KernelView) -> str:
    """All that `resource_hint` may leave out, and where its numbers come from."""
    worst = _worst_instance(kernel)
    parts = [f"{worst.registers_per_thread} registers", f"{worst.spill_bytes:,} B spilled", f"{worst.static_shared_bytes:,} B shared"]
    count = len({item.instance for item in kernel.resources})
    most = f", most of {count} instances" if count > 1 else ""
    resources = ", ".join([*parts, *(f"theoretical {text}" for text in _occupancy(kernel, worst))])
    return f"{resources} (ptxas, {worst.architecture}{most}){_occupancy_origin(kernel)}"


def fitted(parts: Sequence[str], separator: str = ", ") -> str:
    """As many as a hint holds, the first in any case, though cut where it is too long alone."""
    count = next((n for n in range(len(parts), 1, -1) if len(separator.join(parts[:n])) <= HINT_LIMIT), 1)
    text = separator.join(parts[:count])
    return text if len(text) <= HINT_LIMIT else f"{text[: HINT_LIMIT - 1]}…"


def _worst_instance(kernel: KernelView) -> event_parts.ResourcesFound:
    return max(kernel.resources, key=lambda item: item.registers_per_thread)


def hot_lines(view: View) -> Iterator[tuple[int, list[LineView]]]:
    """Lines that move more than their ideal, with a share of their kernel's traffic that is worth a mark; (line, its counters)."""
    totals: dict[str, int] = {}
    for item in view.lines:
        totals[item.kernel] = totals.get(item.kernel, 0) + _traffic(item)
    hot = [item for item in view.lines if _traffic(item) >= _HOT_SHARE * max(1, totals[item.kernel]) and is_beyond_ideal([item])]
    for line, group in groupby(sorted(hot, key=lambda item: item.line), key=lambda item: item.line):
        yield line, list(group)


def is_beyond_ideal(items: Sequence[LineView]) -> bool:
    """Whether an access of them moves noticeably more sectors, or takes more wavefronts, than its requests need."""
    return any(_ratio_to_ideal(item) > _EXCESS_RATIO for item in items)


def line_hint(items: Sequence[LineView]) -> str:
    """A line's counters, the farthest from its ideal first: ``store 31.2 sectors/request, 3.94 would do``; as much as fits."""
    return fitted(line_words(items))


def line_origin(items: Sequence[LineView]) -> str:
    """All that `line_hint` may leave out, where its numbers come from, and why those marked ``~`` are estimated."""
    reasons = dict.fromkeys(i.counters.grade_reason or "no reason is recorded" for i in items if i.counters.grade != "exact")
    estimated = f"; ~ is estimated: {'; '.join(reasons)}" if reasons else ""
    return f"{'; '.join(line_words(items))}: counted by {counter_source(items[0])}, in the kernel's costliest launch{estimated}"


def kernel_page(kernel: KernelView, view: View) -> str:
    """Markdown: everything known of a kernel, of its program, and of what is proposed for it; why no edit was found comes first."""
    parts = [kernel_table(kernel)]
    if kernel.in_vain is not None:
        parts.insert(0, "\n".join(("**No edit found**", "", *(f"- {tamed(reason)}" for reason in kernel.in_vain.split("; ") if reason))))
    if kernel.proposal is not None:
        parts.append(proposal_text(kernel.proposal))
    if about := program_about(view.programs):
        parts.append(tamed(about).replace("\n", "\n\n"))
    return "\n\n---\n\n".join(parts)


def line_page(view: View, line: int) -> str:
    """Markdown: everything known of a line."""
    notes = [note for note in view.notes if note.line == line]
    text = line_table([i for i in view.lines if i.line == line], notes, [i for i in view.code if i.line == line])
    return text or "Nothing is known of this line."


def kernel_table(kernel: KernelView) -> str:
    """Markdown: what is known of a kernel as it stands."""
    rows = [f"**`{kernel.key}`**"]
    if kernel.check is not None and kernel.check.problems:
        rows += ["", *(f"- {tamed(f'{Path(problem.file).name}:{problem.line}: {problem.message}')}" for problem in kernel.check.problems)]
    for resources in kernel.resources:
        rows += ["", *_resources_table(resources)]
    if kernel.launches:
        rows += ["", "| launches | grid | block | time each | share of peak | limited by |", "|---|---|---|---|---|---|"]
        rows += [_launch_row(launch) for launch in kernel.launches]
        rows += ["", _prediction_source(kernel.launches)]
    if kernel.launch_facts:
        rows += ["", *(f"- {tamed(sentence)}" for sentence in kernel.launch_facts)]
    if kernel.evidence:
        rows += ["", "| evidence | line | value | method |", "|---|---|---|---|"]
        rows += [_evidence_row(item) for item in kernel.evidence]
    return "\n".join(rows)


def line_table(lines: Sequence[LineView], notes: Sequence[Note], code: Sequence[CodeView] = ()) -> str:
    """Markdown: everything known of a line, its machine code last; empty when nothing is."""
    rows: list[str] = []
    for note in notes:
        if note.code is not None and note.severity is not Severity.INFORMATION:
            rows.append(f"**{note.code}** {tamed(note.message)}\n")
    if lines:
        rows += ["| access | requests | threads/request | counted | ideal | grade |", "|---|---|---|---|---|---|"]
        rows += [_line_row(item) for item in lines]
        rows.append(f"\nCounted by {counter_source(lines[0])}, in the kernel's costliest launch.")
    rows += [_machine_code(item) for item in code[:_SHOWN_INSTANCES]]
    return "\n".join(rows)


def _machine_code(item: CodeView) -> str:
    """A block of SASS, cut where a line made very much of it (unrolled loops)."""
    shown = item.instructions[:_SHOWN_INSTRUCTIONS]
    more = len(item.instructions) - len(shown)
    cut = [f"… and {more} more"] if more else []
    count = counted_noun(len(item.instructions), "instruction")
    return "\n".join([f"\n`{item.instance}`, {count} ({item.architecture} SASS)", "", fenced("\n".join([*shown, *cut]))])


def proposal_text(proposal: Proposal) -> str:
    """Markdown: claim, verdict, explanation, diff."""
    parts = [f"### {tamed(offer_title(proposal))}", "", line_by_line(tamed(proposal.explanation))]
    if proposal.labels and _BEFORE_ACCEPTING not in proposal.explanation:
        parts += ["", f"{_BEFORE_ACCEPTING}: " + ", ".join(label_in_words(label) for label in proposal.labels)]
    if proposal.assumptions:
        parts += ["", *(f"- assumes: {tamed(assumption)}" for assumption in proposal.assumptions)]
    if proposal.alternatives:
        parts += ["", "Alternatives, with other decisions:", "", *(f"- {tamed(line)}" for line in alternative_lines(proposal))]
    diff = changes_diff(proposal.files)
    return "\n".join([*parts, "", fenced(diff, "diff")])


def pair_headline(turns: Sequence[Turn], short_id: Callable[[str], str]) -> str:
    """The lens of an open session: its last answer."""
    last = next((turn for turn in reversed(turns) if turn.kind not in (TurnKind.WHY, TurnKind.START)), None)
    return "Pair: save an edit to have it judged" if last is None else with_short_ids(f"Pair: {last.answer}", short_id)


def ignored_text_message(declined: EmbeddingProblem) -> str:
    """Why a CUDA text inside another text is ignored."""
    return f"the CUDA text of {declined.kind.value} is ignored: {declined.reason}"


def _occupancy(kernel: KernelView, resources: event_parts.ResourcesFound) -> list[str]:
    """Theoretical; of the costliest launch, before a profile the best of the usual block sizes. Empty: not known."""
    if (counted := _launch_occupancy(kernel)) is not None:
        return [f"occupancy {percent(counted[0])}"]
    if not resources.occupancy:
        return []
    best = max(resources.occupancy, key=lambda item: item.active_warps_per_sm)
    return [f"occupancy ≤ {percent(best.active_warps_per_sm / best.max_warps_per_sm)}"]


def _occupancy_origin(kernel: KernelView) -> str:
    """In a sentence."""
    if (counted := _launch_occupancy(kernel)) is not None:
        launch = f"the costliest launch, {counted[1]:,} threads a block"
        return f"; occupancy of {launch}, calculated from registers, shared memory and block size"
    return "; best occupancy of the usual block sizes, calculated, without dynamic shared memory"


def _launch_occupancy(kernel: KernelView) -> tuple[float, int] | None:
    """Ratio and threads a block of the costliest launch; None before a profile."""
    counted = evidence_value(kernel.evidence, "occupancy")
    launch = next((launch.summary for launch in kernel.launches if launch.profile is not None), None)
    return None if counted is None or launch is None else (counted.value, math.prod(launch.block))


def line_words(items: Sequence[LineView]) -> list[str]:
    """Each counter of a line, the farthest from its ideal first; with its kernel where several share the line."""
    is_alone = len({item.kernel for item in items}) == 1
    worst_first = sorted(items, key=_excess, reverse=True)
    return [_counter_hint(item) if is_alone else f"{item.kernel.split('(')[0]}: {_counter_hint(item)}" for item in worst_first]


def _excess(item: LineView) -> float:
    """Counted beyond the ideal: sectors, or wavefronts."""
    counters = item.counters
    if counters.sectors is not None and counters.ideal_sectors is not None:
        return counters.sectors - counters.ideal_sectors
    if counters.wavefronts is not None and counters.ideal_wavefronts is not None:
        return counters.wavefronts - counters.ideal_wavefronts
    return 0


def _counter_hint(item: LineView) -> str:
    """``~`` marks what is only estimated."""
    counters = item.counters
    about = "" if counters.grade == "exact" else "~"
    requests = max(1, counters.requests)
    if counters.sectors is not None and counters.ideal_sectors is not None:
        what = counters.op.removeprefix("global ")
        count = f"{counters.sectors / requests:.3g}"
        found = f"{what} {about}{count} {'sector' if count == '1' else 'sectors'}/request"
        return f"{found}, {about}{counters.ideal_sectors / requests:.3g} would do" if is_beyond_ideal([item]) else found
    if counters.wavefronts is not None and counters.ideal_wavefronts is not None:
        ways = counters.wavefronts / max(1, counters.ideal_wavefronts)
        return f"{counters.op} {about}{ways:.3g}-way bank conflict" if ways > _EXCESS_RATIO else f"{counters.op} without bank conflict"
    return f"{counters.op} {about}{counters.requests:,} requests"


def counter_source(item: LineView) -> str:
    """``CPU emulator (sm_90 rules)``, with the method's name where the device does not say it."""
    return item.device.name if item.method in item.device.name else f"{item.method} on {item.device.name}"


def _prediction_source(launches: Sequence[LaunchView]) -> str:
    target = next((launch.profile.device.target for launch in launches if launch.profile is not None), None)
    shown = "the profiled target" if target is None else target
    text = f"Times are predicted by the performance model for {shown}, launch overhead included; nothing was timed."
    if any(launch.summary.speed_of_light_ratio is not None for launch in launches):
        text += (
            " Share of peak: the launch's distinct bytes, each moved once, or its arithmetic, over the time, of the target's nominal peak."
        )
    return text


def _launch_row(launch: LaunchView) -> str:
    summary = launch.summary
    time = "not predicted" if summary.predicted_time_s is None else f"PREDICTED {format_quantity(summary.predicted_time_s, 's')}"
    shape = f" at {summary.shape}" if summary.shape else ""
    light = "not known" if summary.speed_of_light_ratio is None else f"≥ {_peak(summary)}"
    limit = limit_in_words(summary.bottleneck)
    return f"| {summary.launch_count:,}{shape} | {_triple(summary.grid)} | {_triple(summary.block)} | {time} | {light} | {limit} |"


def _peak(summary: events.ProfileSummary) -> str:
    return peak_in_words(summary.speed_of_light_ratio or 0.0, summary.speed_of_light_limit or summary.bottleneck)


def _triple(value: tuple[int, int, int]) -> str:
    return " × ".join(str(part) for part in value)


def _resources_table(resources: event_parts.ResourcesFound) -> list[str]:
    rows = [
        f"`{resources.instance}` for {resources.architecture} (ptxas): {resources.registers_per_thread} registers, "
        f"{resources.spill_bytes:,} B spilled, {resources.stack_bytes:,} B stack, {resources.static_shared_bytes:,} B static shared",
        "",
        "| block | theoretical occupancy | limited by |",
        "|---|---|---|",
    ]
    for item in resources.occupancy:
        share = item.active_warps_per_sm / item.max_warps_per_sm
        rows.append(
            f"| {item.block_threads} | {percent(share)} ({item.active_warps_per_sm} of {item.max_warps_per_sm} warps) | {item.limiter} |"
        )
    return rows


def _evidence_row(item: Evidence) -> str:
    method = f"{made_by(item.method.value, item.device)}, {item.grade.value}"
    of_what = next((f": {known.meaning}" for known in METRICS if known.name == item.metric), "") if item.unit == "ratio" else ""
    value = f"{quantity_in_words(item.value, item.unit)}{of_what}"
    return f"| {metric_in_words(item.metric)} | {item.line or ''} | {value} | {method} |"


def _line_row(item: LineView) -> str:
    counters = item.counters
    per_request = counters.active_threads / max(1, counters.requests)
    grade = counters.grade if counters.grade == "exact" else f"{counters.grade}: {counters.grade_reason}"
    if counters.sectors is not None:
        counted, ideal = f"{counters.sectors:,} sectors", f"{counters.ideal_sectors:,}"
    elif counters.wavefronts is not None:
        counted, ideal = f"{counters.wavefronts:,} wavefronts", f"{counters.ideal_wavefronts:,}"
    else:
        counted, ideal = "", ""
    return f"| {counters.op} | {counters.requests:,} | {per_request:.3g} | {counted} | {ideal} | {grade} |"


def _traffic(item: LineView) -> int:
    counters = item.counters
    return counters.sectors or counters.wavefronts or counters.requests


def _ratio_to_ideal(item: LineView) -> float:
    """1 where nothing was counted that has an ideal."""
    counters = item.counters
    if counters.wavefronts is not None and counters.ideal_wavefronts:
        return counters.wavefronts / counters.ideal_wavefronts
    return counters.sectors / counters.ideal_sectors if counters.sectors is not None and counters.ideal_sectors else 1.0
