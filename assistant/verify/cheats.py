"""Static rules against edits that only look fast: emptied bodies, constant output, magic sizes, written inputs, once-only work.

Patterns over text, so they speak only where they are sure; what they cannot see, the runs do. Each rule compares B's kernel
with A's.

Example::

    find_cheats(parsed_a, parsed_b)    # (VerificationFinding("body_emptied", Outcome.FAIL, …),)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assistant.cuda.code_text import blanked
from assistant.cuda.literals import integer_value
from assistant.model.source import Kernel, ParsedSource
from assistant.model.verification import Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.kernel_code import kernel_pairs
from assistant.verify.text import Match, Store, new_matches, stores_to

__all__ = ["find_cheats"]

_EFFECT = re.compile(
    r"[\])]\s*(?:\.\s*\w+\s*)?(?:[-+*/%&|^]|<<|>>)?=(?!=)|[\])]\s*(?:\+\+|--)|(?:\+\+|--)\s*\w+\s*\["
    r"|\*\s*\w+\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|->\s*\w+\s*=(?!=)|\batomic\w+\s*\(|\basm\b"
)
"""A write that someone outside the thread can see: element, pointee or field assigned, atomic, inline assembly."""
_CALL = re.compile(r"\b(?!(?:if|for|while|switch|return|sizeof|min|max|dim3|__syncthreads|__ldg)\b)[A-Za-z_]\w*\s*(?:<[^;{}()]*>\s*)?\(")
_LITERAL = re.compile(r"[-+]?\s*(?:\(\s*\w+\s*\)\s*)?(?:\d[\w.]*(?:[eE][-+]?\d+\w*)?|\.\d\w*|true|false)")
_CONDITION = re.compile(r"\b(?:if|while)\s*\(")
_CHOICE = re.compile(r"([^;{}?]+)\?")
_DEVICE_VARIABLE = re.compile(
    r"\b__(?:device|managed)__\s+((?:(?!\bconst\b|\bconstexpr\b)[\w:<>,\s*])*?\b\w+)\s*(?:\[[^\]]*\]\s*)*(?:=[^;(){}]*|\{[^;}]*\})?;"
)
_STATIC = re.compile(r"\bstatic\s+((?:(?!\bconst\b|\bconstexpr\b|__\w+__)[\w:<>,\s*])*?\b\w+)\s*(?:=[^;]*|\{[^;}]*\})?;")
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
    had = _EFFECT.search(pair.old_body) or _CALL.search(pair.old_body)
    has = _EFFECT.search(pair.new_body) or _CALL.search(pair.new_body)
    if not had or has:
        return None
    return pair.finding("body_emptied", Outcome.FAIL, "the kernel writes nothing any more", 0)


def _constant_output(pair: _Pair) -> VerificationFinding | None:
    """All that B does with its writable parameters is to store literals, where the original computes."""
    new_stores, old_stores = _stores(pair.new, pair.new_body), _stores(pair.old, pair.old_body)
    computes = any(not _LITERAL.fullmatch(store.value) for store in old_stores)
    if not new_stores or not computes:
        return None
    use_count = sum(len(re.findall(rf"\b{re.escape(name)}\b", pair.new_body)) for name in _writable(pair.new))
    is_literal = all(store.operator == "=" and _LITERAL.fullmatch(store.value) for store in new_stores)
    if not is_literal or use_count > len(new_stores):
        return None
    return pair.finding("constant_output", Outcome.FAIL, f"every output is the constant {new_stores[0].value}", new_stores[0].start)


def _magic_size(pair: _Pair) -> VerificationFinding | None:
    """A branch on one exact size that the original does not have; doing nothing there is a failure."""
    scalars = [p.name for p in pair.new.parameters if not p.is_pointer and p.name]
    names = "|".join([*map(re.escape, scalars), r"gridDim\.[xyz]", r"blockIdx\.[xyz]", r"blockDim\.[xyz]"])
    equal = re.compile(rf"\b({names})\s*==\s*\(?\s*(\d[\w']*)|(?<![\w'.])(\d[\w']*)\s*\)?\s*==\s*\(?\s*({names})(?!\w)")
    old_conditions = {condition for _, condition, _ in _conditions(pair.old_body)}
    for offset, condition, rest in _conditions(pair.new_body):
        match = equal.search(condition)
        size = None if match is None else integer_value(match[2] or match[3])
        if match is None or size is None or condition in old_conditions or size < _SMALLEST_MAGIC:
            continue
        if re.match(r"\s*\{?\s*return\s*;", rest):
            return pair.finding("magic_size", Outcome.FAIL, f"returns early when {match[0]}", offset)
        message = f"special code for {match[0]}"
        return pair.finding("magic_size", Outcome.NEEDS_DECISION, message, offset)
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
        source = rf"(?:const_cast\s*<[^>]*>\s*\(\s*{re.escape(name)}\s*\)|\([^()]*\*\s*\)\s*{re.escape(name)}\b)"
        aliases = re.findall(rf"\b(\w+)\s*=\s*{source}\s*;", pair.new_body)
        targets = "|".join([source, *(rf"\b{re.escape(alias)}\b" for alias in (name, *aliases))])
        for store in stores_to(targets, pair.new_body)[:1]:
            is_declared = any(p.name == name and not p.is_const for p in pair.new.parameters)
            message = f"writes to its input {name}, which the original takes as const"
            return pair.finding("writes_input", Outcome.NEEDS_DECISION if is_declared else Outcome.FAIL, message, store.start)
    return None


def _once_only_state(old: str, new: str, after: ParsedSource, restored: frozenset[str]) -> list[VerificationFinding]:
    """New variables that outlive a launch and steer what a kernel does."""
    findings = list[VerificationFinding]()
    for match in new_matches(_DEVICE_VARIABLE, old, new):
        names = [name for name in _declared(match.text) if name not in restored]
        kept = (_kept_state(name, kernel, new, match) for name in names for kernel in after.kernels)
        findings += [finding for finding in kept if finding is not None][:1]
    for match in new_matches(_STATIC, old, new):
        used = (name for name in _declared(match.text) for _, asked, _ in _conditions(new) if re.search(rf"\b{name}\b", asked))
        for name in list(used)[:1]:
            message = f"what is launched depends on the static variable {name}"
            findings.append(VerificationFinding("once_only_state", Outcome.NEEDS_DECISION, message, None, match.line))
    return findings


def _declared(text: str) -> list[str]:
    """The names in ``unsigned left, *seen``."""
    return [part.split()[-1].lstrip("*") for part in re.sub(r"<[^<>]*>", " ", text).split(",") if part.strip()]


def _kept_state(name: str, kernel: Kernel, code: str, match: Match) -> VerificationFinding | None:
    """A device variable that the kernel decides by, or that it both writes and reads."""
    body = code[kernel.body.start : kernel.body.end]
    if any(re.search(rf"\b{name}\b", condition) for _, condition, _ in _conditions(body)):
        is_reset = re.search(rf"\b{name}\s*(?:\[[^\]]*\]\s*)?=\s*0\b|\batomicInc\s*\(\s*&\s*{name}\b", code[match.start + 1 :])
        outcome = Outcome.NEEDS_DECISION if is_reset else Outcome.FAIL
        message = f"what the kernel does depends on {name}, which keeps its value between launches"
        return VerificationFinding("once_only_state", outcome, message, kernel.qualified_name, match.line)
    mention_count = len(re.findall(rf"\b{name}\b", body))
    store_count = len(stores_to(rf"\b{name}\b", body)) + len(re.findall(rf"\b{name}\s*=(?!=)", body))
    is_changed = store_count or re.search(
        rf"\batomic\w+\s*\(\s*&?\s*{name}\b|(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--|[-+*/|&^]=)", body
    )
    if not is_changed or mention_count <= store_count:
        return None
    message = f"the kernel reads {name}, which it writes itself and which keeps its value between launches"
    return VerificationFinding("once_only_state", Outcome.NEEDS_DECISION, message, kernel.qualified_name, match.line)


def _writable(kernel: Kernel) -> list[str]:
    return [p.name for p in kernel.parameters if p.is_pointer and not p.is_const and p.name]


def _stores(kernel: Kernel, body: str) -> tuple[Store, ...]:
    """Every assignment to an element of a writable parameter."""
    names = "|".join(map(re.escape, _writable(kernel)))
    return stores_to(rf"\b(?:{names})\b", body) if names else ()


def _conditions(code: str) -> list[tuple[int, str, str]]:
    """(offset, condition, code after it) of every ``if``, ``while`` and ``? :``; of the last the whole statement up to the mark."""
    found = list[tuple[int, str, str]]()
    for match in _CONDITION.finditer(code):
        depth, position = 1, match.end()
        while position < len(code) and depth:
            depth += (code[position] == "(") - (code[position] == ")")
            position += 1
        found.append((match.start(), " ".join(code[match.end() : position - 1].split()), code[position:]))
    for match in _CHOICE.finditer(code):
        found.append((match.start(1), " ".join(match[1].split()), code[match.end() :]))
    return found
