"""What memory recalls, in sentences: the evidence on a technique, what happened on this kernel and near it, what people decided. Pure.

Names, reasons and sources of other workspaces are never in a sentence unless the query allows it; imports never have any. Example::

    summary_of(query, "warp-per-row", groups)
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice

from assistant.memory.devices import device_likeness
from assistant.memory.experience import Judgement
from assistant.memory.experience_rows import Known
from assistant.memory.likeness import Group
from assistant.memory.medians import median_interval
from assistant.memory.records import path_key
from assistant.model.comparison import format_ratio
from assistant.model.experience import UNKNOWN, Origin, RecallQuery
from assistant.model.proposal import DecisionKind

__all__ = ["family_words", "judgement_sentences", "label_words", "summary_of", "trial_sentences"]

_NORMAL_95 = 1.96
"""Half a 95 % interval in standard deviations."""
_MOST_TRIALS = 3
_MOST_WORDS = 2
"""Bottlenecks, families and architectures that a sentence names."""
_LABEL_WORDS = {
    "dram": "memory-bound",
    "l2": "L2-bound",
    "l1": "L1-bound",
    "shared": "shared-memory-bound",
    "latency": "latency-bound",
    "issue": "issue-bound",
}
_FAMILY_WORDS = {
    "row reduction": "row reductions",
    "matrix product": "matrix products",
    "reduction": "reductions",
    "stencil": "stencils",
    "transposition": "transpositions",
    "histogram": "histograms",
    "elementwise": "elementwise kernels",
}
_RULE_COUNT = 2
"""Kernels that must have lost, and as many that must have gained, before a condition is named: a single case is no rule."""
_VERBS = {
    DecisionKind.ACCEPTED: "accepted",
    DecisionKind.PARTIALLY_ACCEPTED: "accepted in part",
    DecisionKind.EDITED_THEN_ACCEPTED: "edited and accepted",
    DecisionKind.REJECTED: "rejected",
    DecisionKind.UNDONE: "accepted and then undone",
    DecisionKind.REOPENED: "rejected and opened again",
}
_TAKEN = frozenset({DecisionKind.ACCEPTED, DecisionKind.PARTIALLY_ACCEPTED, DecisionKind.EDITED_THEN_ACCEPTED})


def label_words(label: str) -> str:
    """``memory-bound``; pipes are compute-bound."""
    return _LABEL_WORDS.get(label, f"{label}-bound")


def family_words(family: str) -> str:
    """In the plural; ``kernels`` where the family is not known."""
    return _FAMILY_WORDS.get(family, "kernels")


def summary_of(query: RecallQuery, technique: str, groups: tuple[Group, ...]) -> str:
    """The evidence in one sentence; empty without any trial that was judged."""
    judged = [group for group in groups if group.judged_count]
    similar = [group for group in judged if group.nearness > 0]
    used = similar or judged
    if not used:
        return ""
    count = "1 kernel" if len(used) == 1 else f"{len(used)} kernels"
    where = count.replace(" ", " similar " if similar else " other ") + f" ({_states(used)})"
    verdict = f"was right {sum(group.right_count for group in used)} of {sum(group.judged_count for group in used)}"
    parts = [f"on {where} {technique} {verdict}{_speeds(used)}"]
    condition = _condition(used)
    parts += [condition] if condition else []
    imported = sum(group.first.origin == Origin.IMPORT for group in used)
    parts += [f"{imported} of them imported"] if imported else []
    parts += [] if similar else ["none was like this one"]
    parts += _elsewhere(query, used)
    return "; ".join(parts)


def trial_sentences(query: RecallQuery, groups: tuple[Group, ...]) -> Iterator[str]:
    """What happened in this workspace, nearest first; of other workspaces where the query allows it."""
    own = path_key(query.workspace)
    newest = (group.first for group in groups if group.nearness > 0)
    placed = ((place, row) for row in newest if (place := _place(query, own, row)) is not None)
    happened = ((place, row, what) for place, row in placed if (what := _happened(row)) is not None)
    for place, row, (verb, details) in islice(happened, _MOST_TRIALS):
        yield f"{verb} {place} on {day(row.created_ms)}{details}"


def judgement_sentences(
    query: RecallQuery, judgements: list[Judgement], weight: Callable[[RecallQuery, Judgement], float]
) -> Iterator[str]:
    """What people decided, weightiest first; of other workspaces how often."""
    for j in sorted(judgements, key=lambda j: -weight(query, j)):
        if j.workspace == query.workspace or query.may_cross_workspaces:
            device = "" if j.device_class is None else f" ({j.device_class})"
            yield f"{_VERBS[j.kind]} {_where(query, j)} on {day(j.decided_ms)}{device}{_why(j)}"
    elsewhere = [j for j in judgements if j.workspace != query.workspace]
    if elsewhere and not query.may_cross_workspaces:
        taken = sum(j.kind in _TAKEN for j in elsewhere)
        labels = _some(label_words(j.signature.label) for j in elsewhere)
        yield f"accepted {taken} and rejected or undone {len(elsewhere) - taken} times in other workspaces, on {labels} kernels"


def day(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, tz=UTC).date().isoformat()


def _states(groups: list[Group]) -> str:
    """``memory-bound row reductions, sm_90``."""
    labels = _some(label_words(group.first.label) for group in groups)
    families = _some(family_words(group.first.family) for group in groups if group.first.family != UNKNOWN) or "kernels"
    devices = _some(group.first.architecture or group.first.device for group in groups)
    return f"{labels} {families}, {devices}"


def _elsewhere(query: RecallQuery, groups: list[Group]) -> list[str]:
    """``times on NVIDIA A100 count 0.66 here``: what was timed on other devices is weighed, never taken as it is."""
    timed = {group.first.device: group.first.architecture for group in groups if group.log_ratio is not None}
    others = {name: device_likeness(query.state.device, name, architecture) for name, architecture in timed.items()}
    said = [f"times on {name} count {weight:.2f} here" for name, weight in others.items() if weight < 1]
    return said[:_MOST_WORDS]


def _some(words: Iterable[str]) -> str:
    return " or ".join(list(dict.fromkeys(words))[:_MOST_WORDS])


def _speeds(groups: list[Group]) -> str:
    """``, median 3.1x [2.2, 4.0], measured``; what was measured and what was predicted are never mixed."""
    measured = [group for group in groups if group.log_ratio is not None and group.is_measured]
    predicted = [group for group in groups if group.log_ratio is not None and not group.is_measured]
    found = [(measured, "measured"), (predicted, "predicted")]
    return "".join(f", {_median([group.log_ratio or 0.0 for group in some], some)}, {how}" for some, how in found if some)


def _median(values: list[float], groups: list[Group]) -> str:
    median = f"{math.exp(statistics.median(values)):.1f}x"
    if len(values) > 1:
        low, high = median_interval(values)
        return f"median {median} [{math.exp(low):.1f}, {math.exp(high):.1f}]"
    if not groups[0].is_measured:
        return median
    spread = _NORMAL_95 * math.sqrt(groups[0].variance)
    return f"{median} [{math.exp(values[0] - spread):.1f}, {math.exp(values[0] + spread):.1f}]"


def _condition(groups: list[Group]) -> str:
    """``loses when threads <= 4,096``: what parts all kernels that lost from all that gained; empty where nothing does."""
    timed = [group for group in groups if group.log_ratio is not None]
    losses, gains = ([group for group in timed if ((group.log_ratio or 0.0) > 0) == has_won] for has_won in (False, True))
    if min(len(losses), len(gains)) < _RULE_COUNT:
        return ""
    lost, won = ([group.first.scale for group in some] for some in (losses, gains))
    for name in dict.fromkeys(name for scale in won for name in scale):
        if any(name not in scale for scale in (*lost, *won)):
            continue
        most, least = max(scale[name] for scale in lost), min(scale[name] for scale in won)
        if most < least:
            return f"loses when {name} <= {most:,}"
        if min(scale[name] for scale in lost) > max(scale[name] for scale in won):
            return f"loses when {name} >= {min(scale[name] for scale in lost):,}"
    return ""


def _happened(row: Known) -> tuple[str, str] | None:
    """Verb and details; None for a trial that taught nothing."""
    if row.is_right == 0:
        return "did not build or was wrong", f" ({row.device})"
    if row.is_right is None or row.log_ratio is None:
        return None
    verb = "worked" if row.log_ratio > 0 else "was not faster"
    if not row.is_measured:
        verb = "was predicted to help" if row.log_ratio > 0 else "was predicted not to help"
    method = json.loads(row.detail)["method"]
    spread = _NORMAL_95 * math.sqrt(row.variance or 0.0)
    interval = f", {math.exp(row.log_ratio - spread):.2f} to {math.exp(row.log_ratio + spread):.2f}" if row.is_measured else ""
    return verb, f": time ratio {format_ratio(math.exp(row.log_ratio))}x{interval} ({row.device}; {method})"


def _place(query: RecallQuery, own: str | None, row: Known) -> str | None:
    """``here``, ``for saxpy``; None where it may not be named. ``own``: `path_key` of the query's workspace."""
    if row.workspace is None:
        return None
    is_own = row.workspace == own
    if not is_own and not query.may_cross_workspaces:
        return None
    if is_own and row.kernel == query.kernel:
        return "here"
    name = row.kernel.partition("(")[0]
    return f"for {name}, limited by {row.label}," if is_own else f"in another workspace, for {name}, limited by {row.label},"


def _where(query: RecallQuery, judgement: Judgement) -> str:
    if judgement.workspace != query.workspace:
        return f"in another workspace, for a kernel limited by {judgement.signature.label},"
    if judgement.kernel == query.kernel:
        return "here"
    return f"for {judgement.kernel.partition('(')[0]}, limited by {judgement.signature.label},"


def _why(judgement: Judgement) -> str:
    if judgement.kind is DecisionKind.PARTIALLY_ACCEPTED:
        why = _reason(judgement)
        return f", the rest left out{why}" if why else ""
    return _reason(judgement) if judgement.kind in (DecisionKind.REJECTED, DecisionKind.UNDONE) else ""


def _reason(judgement: Judgement) -> str:
    code = f": {judgement.reason_code}" if judgement.reason_code else ""
    quoted = f'"{judgement.reason}"' if judgement.reason else ""
    if not quoted:
        return code
    return f"{code} ({quoted})" if code else f": {quoted}"
