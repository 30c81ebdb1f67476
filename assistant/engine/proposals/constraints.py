"""What a person asks of every edit of a kernel, in their words, and whether an edit keeps to it. Pure.

Recognised forms become rules that are checked on each candidate; anything else is kept and shown, and is for a model planner to read.
Example::

    read_constraint("keep block 256", techniques).rules     # CandidateRules(block_threads=256)
    read_constraint("keep it elegant", techniques).rules    # None: nothing that a program could check
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from assistant.engine.request import CandidateRules
from assistant.model.comparison import format_ratio
from assistant.model.launch import LaunchConfig
from assistant.model.verification import Label
from assistant.record import Record

if TYPE_CHECKING:
    from assistant.engine.evaluate import KernelAssessment

_Number = TypeVar("_Number", int, float)
_Reader = Callable[[re.Match[str]], CandidateRules]

__all__ = ["Constraint", "all_rules", "broken", "constraint_of_rejection", "forbidden", "read_constraint"]

_RATIO_STEP = 0.01
"""What was not worth it must be beaten by at least what people see of a ratio."""


class Constraint(Record):
    """One wish."""

    words: str
    """As it was said."""
    rules: CandidateRules | None
    """None where no program can check it."""

    @property
    def with_enforcement(self) -> str:
        """The words, and whether they are enforced."""
        return self.words if self.rules is not None else f"{self.words} (not enforced: only a model planner can read it)"


def read_constraint(words: str, techniques: Iterable[str]) -> Constraint:
    """The constraint that these words mean; ``techniques`` are the ids of the catalogue."""
    text = " ".join(words.lower().replace("<=", "≤").split())
    for pattern, rules in _FORMS:
        found = pattern.fullmatch(text)
        if found is not None:
            return Constraint(words, rules(found))
    wanted = re.fullmatch(r"(?P<how>no|without|only)\s+(?P<name>[\w -]+)", text)
    named = frozenset[str]() if wanted is None else frozenset(_named(wanted["name"], techniques))
    if wanted is None or not named:
        return Constraint(words, None)
    is_only = wanted["how"] == "only"
    return Constraint(words, CandidateRules(only_techniques=named) if is_only else CandidateRules(excluded_techniques=named))


def all_rules(constraints: Iterable[Constraint]) -> CandidateRules:
    """Every rule at once; of two bounds the tighter one, of two choices the later one."""
    total = CandidateRules()
    for constraint in constraints:
        if constraint.rules is not None:
            total = _both(total, constraint.rules)
    return total


def constraint_of_rejection(reason_code: str | None, techniques: tuple[str, ...], ratio: float) -> str:
    """What turning a proposal down for this reason asks of the next ones, in words that `read_constraint` reads."""
    match reason_code:
        case "precision":
            return "keep precision"
        case "readability":
            return "keep it readable"
        case "portability":
            return "keep it portable"
        case "not-worth-it":
            return f"at least {format_ratio(ratio + _RATIO_STEP)}x"
        case _:
            return f"no {techniques[0]}"


def forbidden(rules: CandidateRules, technique: str, labels: Iterable[Label]) -> str | None:
    """Why a planned edit need not even be tried; None where it may be."""
    if technique in rules.excluded_techniques or (rules.only_techniques and technique not in rules.only_techniques):
        return f"{technique} is excluded"
    return _labelled(rules, labels)


def broken(
    rules: CandidateRules, before: tuple[KernelAssessment, ...], after: tuple[KernelAssessment, ...], labels: Iterable[Label]
) -> tuple[str, ...]:
    """What an edit that ran does not keep to, one sentence each; ``before`` is the version it is judged against.

    ``min_ratio`` is not among it: it is asked of what is offered, which a chain of edits may reach together.
    """
    label = _labelled(rules, labels)
    return (*_broken_launches(rules, before, after), *_broken_resources(rules, after), *(() if label is None else (label,)))


def _broken_launches(rules: CandidateRules, before: tuple[KernelAssessment, ...], after: tuple[KernelAssessment, ...]) -> Iterator[str]:
    old, new = _launches(before), _launches(after)
    threads = sorted({config.block.count for config in new})
    if rules.block_threads is not None and not new:
        yield f"it does not launch the kernel any more, whose blocks were to have {rules.block_threads} threads"
    if rules.block_threads is not None and any(count != rules.block_threads for count in threads):
        yield f"it launches blocks of {', '.join(map(str, threads))} threads, not of {rules.block_threads}"
    if not rules.may_change_launch and old != new:
        yield "it changes the launch"


def _broken_resources(rules: CandidateRules, after: tuple[KernelAssessment, ...]) -> Iterator[str]:
    resources = [item.resources for item in after if item.resources is not None]
    registers = max((item.registers_per_thread for item in resources), default=None)
    if rules.max_registers is not None and registers is not None and registers > rules.max_registers:
        yield f"it takes {registers} registers per thread (ptxas), more than {rules.max_registers}"
    static = max((item.static_shared_bytes for item in resources), default=0)
    shared = static + max((config.shared_bytes for config in _launches(after)), default=0)
    if rules.max_shared_bytes is not None and shared > rules.max_shared_bytes:
        yield f"it takes {shared:,} bytes of shared memory per block (ptxas and launch), more than {rules.max_shared_bytes:,}"


def _launches(kernels: tuple[KernelAssessment, ...]) -> set[LaunchConfig]:
    return {launch.profile.config for item in kernels for launch in item.launches}


def _labelled(rules: CandidateRules, labels: Iterable[Label]) -> str | None:
    refused = sorted(rules.refused_labels.intersection(labels))
    return f"it carries the label {', '.join(label.value for label in refused)}" if refused else None


def _named(name: str, techniques: Iterable[str]) -> Iterator[str]:
    """Techniques whose id holds every word (``unrolling``, ``loop unrolling``)."""
    words = set(re.split(r"[\s-]+", name.strip()))
    return (technique for technique in techniques if words <= set(technique.split("-")))


def _both(a: CandidateRules, b: CandidateRules) -> CandidateRules:
    return CandidateRules(
        excluded_techniques=a.excluded_techniques | b.excluded_techniques,
        only_techniques=b.only_techniques or a.only_techniques,
        refused_labels=a.refused_labels | b.refused_labels,
        may_change_launch=a.may_change_launch and b.may_change_launch,
        block_threads=a.block_threads if b.block_threads is None else b.block_threads,
        max_registers=_either(min, a.max_registers, b.max_registers),
        max_shared_bytes=_either(min, a.max_shared_bytes, b.max_shared_bytes),
        min_ratio=_either(max, a.min_ratio, b.min_ratio),
    )


def _either(choose: Callable[[_Number, _Number], _Number], a: _Number | None, b: _Number | None) -> _Number | None:
    if a is None or b is None:
        return b if a is None else a
    return choose(a, b)


def _refusing(*labels: Label) -> _Reader:
    rules = CandidateRules(refused_labels=frozenset(labels))
    return lambda _: rules


def _form(pattern: str, rules: _Reader) -> tuple[re.Pattern[str], _Reader]:
    return re.compile(pattern), rules


def _shared_bytes(found: re.Match[str]) -> CandidateRules:
    factor = 1024 if (found["unit"] or "").startswith("k") else 1
    return CandidateRules(max_shared_bytes=int(found["number"]) * factor)


_AT_MOST = r"(?:≤|at most|max(?:imum)?|up to|no more than)"
_FORMS = (
    _form(
        r"(?:keep )?(?:the )?block(?:s of| size)? (?P<number>\d+)(?: threads)?", lambda m: CandidateRules(block_threads=int(m["number"]))
    ),
    _form(
        r"keep (?:the )?(?:launch(?:es)?|launch (?:shape|configuration)|grid(?: and block)?|block)",
        lambda _: CandidateRules(may_change_launch=False),
    ),
    _form(r"no fast[- ]?math", _refusing(Label.FAST_MATH)),
    _form(r"keep (?:the |full )?precision|no (?:lower|less|reduced) precision", _refusing(Label.PRECISION, Label.FAST_MATH)),
    _form(
        r"(?:keep )?(?:bitwise|bit-?exact)(?: equal)?(?: results)?",
        _refusing(Label.PRECISION, Label.FAST_MATH, Label.REASSOCIATION, Label.NON_DETERMINISM),
    ),
    _form(r"(?:keep (?:it )?|stay )?deterministic", _refusing(Label.NON_DETERMINISM)),
    _form(r"(?:keep (?:it )?|stay )?portable", _refusing(Label.ARCH_LOCK_IN)),
    _form(r"(?:keep (?:it )?|stay )?readable", _refusing(Label.READABILITY)),
    _form(r"no (?:new )?assumptions?", _refusing(Label.ASSUMPTION, Label.ALIGNMENT)),
    _form(r"no host code|(?:only the kernel|kernel only)", _refusing(Label.HOST_CODE)),
    _form(r"no shared memory", lambda _: CandidateRules(max_shared_bytes=0)),
    _form(rf"shared(?: memory)? {_AT_MOST} (?P<number>\d+) ?(?P<unit>b|bytes|kib|kb)?", _shared_bytes),
    _form(rf"registers? {_AT_MOST} (?P<number>\d+)", lambda m: CandidateRules(max_registers=int(m["number"]))),
    _form(rf"{_AT_MOST} (?P<number>\d+) registers?", lambda m: CandidateRules(max_registers=int(m["number"]))),
    _form(r"at least (?P<number>\d+(?:\.\d+)?) ?(?:x|times)", lambda m: CandidateRules(min_ratio=float(m["number"]))),
)
"""Forms that are recognised, in lower case with single spaces."""
