"""Static rules against edits that only look fast: emptied bodies, constant output, magic sizes, written inputs, once-only work.

They read the text alone, so they speak only where they are sure; what they cannot see, the runs do. Each rule compares B's kernel
with A's.

Example::

    find_cheats(parsed_a, parsed_b)    # (VerificationFinding("body_emptied", Outcome.FAIL, …),)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from assistant.cuda.asked_conditions import asked_conditions, compared_number, returns_at_once
from assistant.cuda.code_text import blanked
from assistant.cuda.effects import ElementStore, calls_something, element_stores, has_effect
from assistant.cuda.kept_variables import KeptVariables, assignment_count, device_state, is_changed_in_place, is_set_back, static_state
from assistant.cuda.literals import is_literal
from assistant.cuda.pointer_casts import copies_without_const
from assistant.cuda.token_reader import read_tokens
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Kernel, ParsedSource
from assistant.model.verification import Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.kernel_code import kernel_pairs
from assistant.verify.text import beyond

__all__ = ["find_cheats"]

_SMALLEST_MAGIC = 16
"""Comparisons with smaller numbers are ordinary edge cases (``n == 0``, ``lane == 0``)."""


class _Pair(Record):
    """A kernel on both sides, bodies without comments."""

    old: Kernel
    new: Kernel
    old_body: str
    new_body: str
    body_line: int
    """Line of B's source on which ``new_body`` starts."""

    def finding(self, code: str, outcome: Outcome, message: str, offset: int) -> VerificationFinding:
        line = self.body_line + self.new_body.count("\n", 0, offset)
        return VerificationFinding(code, outcome, message, self.new.qualified_name, line)


def find_cheats(before: ParsedSource, after: ParsedSource, restored: frozenset[str] = frozenset()) -> tuple[VerificationFinding, ...]:
    """What the rules find in B's kernels that A's have not.

    ``restored``: device variables of B that each of its recorded launches leaves as it found them, so that nothing is kept there.
    """
    old, new = blanked(before.source.text), blanked(after.source.text)
    rules: tuple[Callable[[_Pair], VerificationFinding | None], ...] = (
        _emptied_body,
        _constant_output,
        _magic_size,
        _written_input,
    )
    findings = [finding for pair in _pairs(before, after, old, new) for rule in rules if (finding := rule(pair))]
    findings.extend(_once_only_state(old, new, after, restored))
    return tuple(findings)


def _pairs(before: ParsedSource, after: ParsedSource, old: str, new: str) -> Iterator[_Pair]:
    for a, b in kernel_pairs(before, after):
        line = new.count("\n", 0, b.body.start) + 1
        yield _Pair(a, b, old[a.body.start : a.body.end], new[b.body.start : b.body.end], line)


def _emptied_body(pair: _Pair) -> VerificationFinding | None:
    had, has = (has_effect(body) or calls_something(body) for body in (pair.old_body, pair.new_body))
    if not had or has:
        return None
    return pair.finding("body_emptied", Outcome.FAIL, "the kernel writes nothing any more", 0)


def _constant_output(pair: _Pair) -> VerificationFinding | None:
    """All that B does with its writable parameters is to store literals, where the original computes."""
    new_stores, old_stores = _stores(pair.new, pair.new_body), _stores(pair.old, pair.old_body)
    computes = any(not is_literal(store.value) for store in old_stores)
    if not new_stores or not computes:
        return None
    is_constant = all(store.operator == "=" and is_literal(store.value) for store in new_stores)
    if not is_constant or _mention_count(pair.new_body, _writable(pair.new)) > len(new_stores):
        return None
    return pair.finding("constant_output", Outcome.FAIL, f"every output is the constant {new_stores[0].value}", new_stores[0].start)


def _magic_size(pair: _Pair) -> VerificationFinding | None:
    """A branch on one exact size that the original does not have; doing nothing there is a failure."""
    names = {p.name for p in pair.new.parameters if not p.is_pointer and p.name}
    names |= {f"{extent}.{axis}" for extent in ("gridDim", "blockIdx", "blockDim") for axis in "xyz"}
    old_conditions = {asked.text for asked in asked_conditions(pair.old_body)}
    for asked in asked_conditions(pair.new_body):
        compared = None if asked.text in old_conditions else compared_number(asked.text, names)
        if compared is None or compared[1] < _SMALLEST_MAGIC:
            continue
        if returns_at_once(asked.rest):
            return pair.finding("magic_size", Outcome.FAIL, f"returns early when {compared[0]}", asked.start)
        return pair.finding("magic_size", Outcome.NEEDS_DECISION, f"special code for {compared[0]}", asked.start)
    return None


def _written_input(pair: _Pair) -> VerificationFinding | None:
    """A store through a pointer that the original takes as const, directly or after a cast. Where B takes it as one to write to, it says
    so: whether what it leaves there is wanted is for the cases, and for a person."""
    taken = {p.name for p in pair.new.parameters if p.is_pointer and p.name}
    constant = {p.name for p in pair.old.parameters if p.is_pointer and p.is_const and p.name in taken}
    constant |= {
        new.name
        for old, new in zip(pair.old.parameters, pair.new.parameters, strict=False)
        if old.is_pointer and old.is_const and new.is_pointer and new.name not in {p.name for p in pair.old.parameters}
    }
    for name in sorted(constant):
        for store in element_stores(pair.new_body, {name, *copies_without_const(pair.new_body, name)})[:1]:
            is_declared = any(p.name == name and not p.is_const for p in pair.new.parameters)
            message = f"writes to its input {name}, which the original takes as const"
            return pair.finding("writes_input", Outcome.NEEDS_DECISION if is_declared else Outcome.FAIL, message, store.start)
    return None


def _once_only_state(old: str, new: str, after: ParsedSource, restored: frozenset[str]) -> list[VerificationFinding]:
    """New variables that outlive a launch and steer what a kernel does."""
    findings = list[VerificationFinding]()
    for declared in beyond(device_state(old), device_state(new)):
        names = [name for name in declared.names if name not in restored]
        kept = (_kept_state(name, kernel, new, declared) for name in names for kernel in after.kernels)
        findings += [finding for finding in kept if finding is not None][:1]
    asked = [words_in_code(condition.text) for condition in asked_conditions(new)]
    for declared in beyond(static_state(old), static_state(new)):
        for name in [name for name in declared.names if any(name in words for words in asked)][:1]:
            message = f"what is launched depends on the static variable {name}"
            findings.append(VerificationFinding("once_only_state", Outcome.NEEDS_DECISION, message, None, declared.line))
    return findings


def _kept_state(name: str, kernel: Kernel, code: str, declared: KeptVariables) -> VerificationFinding | None:
    """A device variable that the kernel decides by, or that it both writes and reads."""
    body = code[kernel.body.start : kernel.body.end]
    if any(name in words_in_code(condition.text) for condition in asked_conditions(body)):
        outcome = Outcome.NEEDS_DECISION if is_set_back(code[declared.start + 1 :], name) else Outcome.FAIL
        message = f"what the kernel does depends on {name}, which keeps its value between launches"
        return VerificationFinding("once_only_state", outcome, message, kernel.qualified_name, declared.line)
    store_count = len(element_stores(body, {name})) + assignment_count(body, name)
    if not (store_count or is_changed_in_place(body, name)) or _mention_count(body, (name,)) <= store_count:
        return None
    message = f"the kernel reads {name}, which it writes itself and which keeps its value between launches"
    return VerificationFinding("once_only_state", Outcome.NEEDS_DECISION, message, kernel.qualified_name, declared.line)


def _mention_count(code: str, names: Collection[str]) -> int:
    read = read_tokens(code)
    return sum(1 for name in names for _ in read.words(name))


def _writable(kernel: Kernel) -> list[str]:
    return [p.name for p in kernel.parameters if p.is_pointer and not p.is_const and p.name]


def _stores(kernel: Kernel, body: str) -> tuple[ElementStore, ...]:
    """Every assignment to an element of a writable parameter."""
    return element_stores(body, frozenset(_writable(kernel)))
