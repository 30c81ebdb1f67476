"""What is shown, in words: short for lenses and hints, whole tables for hovers and panels. Every number with unit and method.

Front ends differ in where they put these, not in what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from assistant.engine.picture import evidence_value, proposal_title
from assistant.engine.view import KernelView, LaunchView, LineView, Note, View
from assistant.model import events
from assistant.model.profile import Evidence, Severity
from assistant.model.proposal import Proposal
from assistant.source.hunks import unified_diff

__all__ = [
    "comparison_sentence",
    "hot_lines",
    "kernel_headline",
    "kernel_table",
    "line_hint",
    "line_table",
    "proposal_text",
    "resource_hint",
]

_HOT_SHARE = 0.1
"""A line is hot from this share of its kernel's requests on."""
_EXCESS = 1.1
"""Counters beyond the ideal by less are not worth a hint."""
_PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def kernel_headline(kernel: KernelView) -> str:
    """``PREDICTED 4.16 µs (model, h200) · limited by l2 · 1 problem``; what is not known yet is said so."""
    parts: list[str] = []
    launch = kernel.launches[0] if kernel.launches else None
    if launch is not None:
        parts += _timing(launch)
    if kernel.check is not None:
        count = len(kernel.check.problems)
        parts.append("checked: no problem found" if not count else f"checked: {count} problem{'s' * (count > 1)}")
        if kernel.check.is_deterministic is False:
            parts.append("differs from run to run")
    if not parts:
        parts.append("not profiled yet")
    if kernel.is_stale:
        parts.append("before your last edit")
    return " · ".join(parts)


def resource_hint(kernel: KernelView) -> str | None:
    """``10 registers, 0 B spilled, 4,096 B shared, occupancy 100 % (sm_90)``; None before a compile."""
    if not kernel.resources:
        return None
    worst = max(kernel.resources, key=lambda item: item.registers_per_thread)
    parts = [f"{worst.registers_per_thread} registers"]
    if worst.spill_bytes:
        parts.append(f"{worst.spill_bytes:,} B spilled")
    if worst.static_shared_bytes:
        parts.append(f"{worst.static_shared_bytes:,} B shared")
    occupancy = evidence_value(kernel.evidence, "occupancy")
    if occupancy is not None:
        parts.append(f"occupancy {occupancy.value:.0%}")
    elif worst.occupancy:
        best = max(worst.occupancy, key=lambda item: item.active_warps_per_sm)
        parts.append(f"occupancy ≤ {best.active_warps_per_sm / best.max_warps_per_sm:.0%}")
    return f"{', '.join(parts)} ({worst.architecture})"


def hot_lines(view: View) -> Iterator[tuple[int, list[LineView]]]:
    """Lines with a share of their kernel's traffic, or with waste, that is worth a hint; (line, its counters)."""
    totals: dict[str, int] = {}
    for item in view.lines:
        totals[item.kernel] = totals.get(item.kernel, 0) + _traffic(item)
    hot = [item for item in view.lines if _traffic(item) >= _HOT_SHARE * max(1, totals[item.kernel]) and _hint_needed(item)]
    for line, group in groupby(sorted(hot, key=lambda item: item.line), key=lambda item: item.line):
        yield line, list(group)


def line_hint(item: LineView) -> str:
    """``store 31.2 sectors/request (ideal 3.94)`` or ``shared load 32-way conflict``; ``~`` where only estimated."""
    counters = item.counters
    about = "" if counters.grade == "exact" else "~"
    requests = max(1, counters.requests)
    if counters.sectors is not None and counters.ideal_sectors is not None:
        what = counters.op.removeprefix("global ")
        ideal = counters.ideal_sectors / requests
        return f"{what} {about}{counters.sectors / requests:.3g} sectors/request (ideal {ideal:.3g})"
    if counters.wavefronts is not None and counters.ideal_wavefronts is not None:
        ways = counters.wavefronts / max(1, counters.ideal_wavefronts)
        return f"{counters.op} {about}{ways:.3g}-way conflict" if ways > _EXCESS else f"{counters.op} without conflict"
    return f"{counters.op} {about}{counters.requests:,} requests"


def kernel_table(kernel: KernelView) -> str:
    """Markdown: everything known of a kernel."""
    rows = [f"**{kernel.key}**", "", kernel_headline(kernel)]
    for resources in kernel.resources:
        rows += ["", *_resources_table(resources)]
    if kernel.launches:
        rows += ["", "| launches | grid | block | time each | limited by |", "|---|---|---|---|---|"]
        rows += [_launch_row(launch) for launch in kernel.launches]
    if kernel.evidence:
        rows += ["", "| evidence | line | value | method |", "|---|---|---|---|"]
        rows += [_evidence_row(item) for item in kernel.evidence]
    if kernel.check is not None and kernel.check.problems:
        rows += ["", *(f"- line {problem.line}: {problem.message}" for problem in kernel.check.problems)]
    return "\n".join(rows)


def line_table(lines: Sequence[LineView], notes: Sequence[Note]) -> str:
    """Markdown: everything known of a line; empty when nothing is."""
    rows: list[str] = []
    for note in notes:
        if note.code is not None and note.severity is not Severity.INFORMATION:
            rows.append(f"**{note.code}** {note.message}\n")
    if lines:
        rows += ["| access | requests | threads/request | counted | ideal | grade |", "|---|---|---|---|---|---|"]
        rows += [_line_row(item) for item in lines]
        rows.append(f"\nCounted by {lines[0].method} on {lines[0].device.name}, in the kernel's costliest launch.")
    return "\n".join(rows)


def proposal_text(proposal: Proposal) -> str:
    """Markdown: claim, verdict, explanation, diff."""
    parts = [f"### {proposal.id}: {proposal_title(proposal)}", "", proposal.summary, "", proposal.explanation]
    if proposal.labels:
        parts += ["", "Needs your decision on: " + ", ".join(label.value for label in proposal.labels)]
    if proposal.assumptions:
        parts += ["", *(f"- assumes: {assumption}" for assumption in proposal.assumptions)]
    diff = unified_diff(proposal.before_text, proposal.after_text, proposal.path.name)
    return "\n".join([*parts, "", "```diff", diff.rstrip("\n"), "```"])


def comparison_sentence(comparison: events.ComparisonMade) -> str:
    """``PASS, PREDICTED 1.57x (model)``, with the first reason where it is not a plain pass."""
    verification, speed = comparison.verification, comparison.speed
    parts = [verification.outcome]
    if speed is not None:
        parts.append(f"{speed.outcome} {speed.ratio:.2f}x ({speed.method})")
    if verification.findings:
        parts.append(verification.findings[0].message)
    return ", ".join(parts)


def _timing(launch: LaunchView) -> list[str]:
    summary = launch.summary
    if summary.predicted_time_s is None:
        return [f"limited by {summary.bottleneck}"]
    target = "" if launch.profile is None else f", {launch.profile.device.target}"
    return [f"PREDICTED {_time(summary.predicted_time_s)} (model{target})", f"limited by {summary.bottleneck}"]


def _time(seconds: float) -> str:
    scale, unit = next(((s, u) for s, u in _PREFIXES if seconds >= s), _PREFIXES[-1])
    return f"{seconds / scale:.3g} {unit}"


def _launch_row(launch: LaunchView) -> str:
    summary = launch.summary
    time = "not predicted" if summary.predicted_time_s is None else f"PREDICTED {_time(summary.predicted_time_s)}"
    shape = f" at {summary.shape}" if summary.shape else ""
    return f"| {summary.launch_count:,}{shape} | {_triple(summary.grid)} | {_triple(summary.block)} | {time} | {summary.bottleneck} |"


def _triple(value: tuple[int, int, int]) -> str:
    return " × ".join(str(part) for part in value)


def _resources_table(resources: events.ResourcesFound) -> list[str]:
    rows = [
        f"`{resources.instance}` for {resources.architecture} (ptxas): {resources.registers_per_thread} registers, "
        f"{resources.spill_bytes:,} B spilled, {resources.stack_bytes:,} B stack, {resources.static_shared_bytes:,} B static shared",
        "",
        "| block | occupancy | limited by |",
        "|---|---|---|",
    ]
    for item in resources.occupancy:
        share = item.active_warps_per_sm / item.max_warps_per_sm
        rows.append(
            f"| {item.block_threads} | {share:.0%} ({item.active_warps_per_sm} of {item.max_warps_per_sm} warps) | {item.limiter} |"
        )
    return rows


def _evidence_row(item: Evidence) -> str:
    method = f"{item.method.value}, {item.grade.value} ({item.device})"
    return f"| {item.metric} | {item.line or ''} | {item.value:,.4g} {item.unit} | {method} |"


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


def _hint_needed(item: LineView) -> bool:
    counters = item.counters
    if counters.wavefronts is not None and counters.ideal_wavefronts is not None:
        return counters.wavefronts > _EXCESS * counters.ideal_wavefronts
    return counters.sectors is not None
