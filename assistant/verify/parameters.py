"""Static rule against edits that put one value where the original reads a parameter.

On a captured workload sizes stay as recorded, so ``i < 4096`` instead of ``i < n`` passes on every case that the program has.

Example::

    find_unread_parameters(parsed_a, parsed_b, {"k": {"n": frozenset({4096})}})    # (VerificationFinding("hard_coded", FAIL, …),)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

from assistant.cuda.code_text import blanked
from assistant.cuda.literals import floating_value, integer_value
from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.cuda.tokens import TokenKind, tokens, words_in_code
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, Parameter, ParsedSource
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.verify.kernel_code import code_of, items_of, kernel_pairs

__all__ = ["PassedNumbers", "RecordedValues", "find_unread_in_new_kernels", "find_unread_parameters", "reads_its_one_float"]

RecordedValues = Mapping[str, Mapping[str, frozenset[int]]]
"""Integer arguments that the original's launches were recorded with: kernel's qualified name → parameter → values."""
PassedNumbers = Mapping[str, Sequence[Mapping[str, float]]]
"""The numbers that each launch was passed: kernel's qualified name → parameter → value, of every launch."""
_SMALLEST_TELLING = 16
"""Smaller numbers stand in code for many reasons."""
_LARGEST_SHIFT = 63
_LARGEST_FLOAT = 3.4e38


def find_unread_parameters(
    before: ParsedSource, after: ParsedSource, recorded: RecordedValues, followed: Mapping[str, frozenset[str]] | None = None
) -> tuple[VerificationFinding, ...]:
    """One finding per scalar parameter that A's kernel reads and B's does not, unless B's gets something else in its place: FAIL where
    its recorded value stands there instead.

    ``followed``: parameters that B's own grid follows from, as other sizes showed, by B's kernel; without them B may well be right.
    """
    findings = list[VerificationFinding]()
    for old, new in kernel_pairs(before, after):
        values = recorded.get(old.qualified_name, {})
        old_code, new_code = code_of(before, old), code_of(after, new)
        for place, parameter in enumerate(old.parameters):
            if parameter.is_pointer or not parameter.name or not _reads(_body(before, old), parameter.name):
                continue
            other = _counterpart(old, new, place)
            if other is not None and _reads(_body(after, new), other.name):
                continue
            if _is_given_otherwise(before, old, place, _given(after, new)) or _is_a_field(_body(after, new), parameter.name):
                continue
            if _is_a_template_parameter(before, after, old, new, place) or _is_number_of_blocks(before, after, old, new, place):
                continue
            telling = {value for value in values.get(parameter.name, ()) if abs(value) >= _SMALLEST_TELLING}
            stand_in = sorted(telling & (_numbers(new_code) - _numbers(old_code)))
            if not stand_in and (parameter.name in (followed or {}).get(new.qualified_name, ()) or _is_known_otherwise(old, new, place)):
                continue
            findings.append(_finding(new, parameter.name, stand_in))
    return tuple(findings)


def find_unread_in_new_kernels(
    before: ParsedSource, after: ParsedSource, known: PassedNumbers, own: PassedNumbers
) -> tuple[VerificationFinding, ...]:
    """Of kernels that B launches in the place of some of A's, as where those were fused: numbers that they are passed and do not read, and
    numbers that A's are passed and that stand in B's text instead. ``known``: what A's launches were passed, ``own``: what B's were.
    """
    gone = [kernel for kernel in before.kernels if kernel.qualified_name in known.keys() - own.keys()]
    added = [kernel for kernel in after.kernels if kernel.qualified_name in own.keys() - known.keys()]
    read = [(kernel, p.name) for kernel in gone for p in kernel.parameters if not p.is_pointer and _reads(_body(before, kernel), p.name)]
    literals = _literals(code_of(before, kernel) for kernel in gone)
    passed = {value for kernel in added for values in own.get(kernel.qualified_name, ()) for value in values.values()}
    findings = list[VerificationFinding]()
    for kernel in added if read else ():
        launches, named = own.get(kernel.qualified_name, ()), {name for _, name in read}
        new = _literals([code_of(after, kernel)]) - literals
        unread = [p.name for p in kernel.parameters if not p.is_pointer and p.name in named and not _reads(_body(after, kernel), p.name)]
        for name in unread:
            values = {values[name] for values in launches if name in values}
            findings.append(_finding(kernel, name, sorted(value for value in values if _is_telling(value) and _rounded(value) in new)))
        said = set[float]()
        for old, name in read if launches else ():
            values = {values[name] for values in known.get(old.qualified_name, ()) if name in values}
            stand_in = [value for value in values if _is_rare(value) and value not in passed | said and _rounded(value) in new]
            if name not in unread and len(values) == 1 and stand_in:
                said.add(stand_in[0])
                message = f"{stand_in[0]:g}, which {name} of {old.name} is in this program, is used in its place"
                assumption, outcome = Label.ASSUMPTION.value, Outcome.NEEDS_DECISION
                findings.append(VerificationFinding(assumption, outcome, message, kernel.qualified_name, kernel.line))
    return tuple(findings)


def reads_its_one_float(parsed: ParsedSource, kernel: Kernel) -> bool:
    """Whether the kernel is passed one floating number, as a parameter of its own, and reads it. Of several an edit may use how they are
    related (``dx`` and ``1 / dx``); which members of structs it reads is not asked."""
    passed = [parameter for parameter in kernel.parameters if not parameter.is_pointer and parameter.name]
    elements = [parse_element_type(parameter.type) for parameter in passed]
    if any(element is None for element in elements):
        return False
    floats = [parameter.name for parameter, element in zip(passed, elements, strict=True) if element is not None and element.is_floating]
    return len(floats) == 1 and _reads(_body(parsed, kernel), floats[0])


def _literals(codes: Iterable[str]) -> set[float]:
    """Numbers that stand in them, rounded as floats are."""
    found = [(set(_numbers(code)), [floating_value(token.text) for token in tokens(code)]) for code in codes]
    return {_rounded(value) for integers, floats in found for value in (*integers, *floats) if value is not None}


def _rounded(value: float) -> float:
    """As a float keeps it."""
    return struct.unpack("<f", struct.pack("<f", value))[0] if abs(value) < _LARGEST_FLOAT else value


def _is_telling(value: float) -> bool:
    """Not a number that stands in code for many reasons."""
    return abs(value) >= _SMALLEST_TELLING if isinstance(value, int) else value not in (-1.0, 0.0, 1.0)


def _is_rare(value: float) -> bool:
    """Nor one of which blocks and tiles are made, or that is half of something."""
    is_round = isinstance(value, int) and value & (value - 1) == 0
    return _is_telling(value) and not is_round and value not in (0.5, 2.0)


def _finding(kernel: Kernel, name: str, stand_in: Sequence[float]) -> VerificationFinding:
    if stand_in and isinstance(stand_in[0], int):
        message = f"{name} is no longer read: {stand_in[0]}, its value in this program, is used in its place"
        return VerificationFinding("hard_coded", Outcome.FAIL, message, kernel.qualified_name, kernel.line)
    why = f": {stand_in[0]:g}, its value in this program, is used in its place" if stand_in else ""
    message = f"{name} is no longer read{why or ', so the kernel is right only for the values that it has in this workload'}"
    return VerificationFinding(Label.ASSUMPTION.value, Outcome.NEEDS_DECISION, message, kernel.qualified_name, kernel.line)


def _given(parsed: ParsedSource, kernel: Kernel) -> frozenset[str]:
    """Names that the kernel knows from outside: parameters that it reads, and what stands at file scope."""
    read = {parameter.name for parameter in kernel.parameters if _reads(_body(parsed, kernel), parameter.name)}
    return frozenset(read.union(name for item in items_of(parsed, kernel) or () for name in item.names))


def _body(parsed: ParsedSource, kernel: Kernel) -> str:
    return blanked(parsed.source.text)[kernel.body.start : kernel.body.end]


def _reads(body: str, name: str) -> bool:
    """Whether the value that was passed matters: mentioned other than as ``(void)n`` and not overwritten first."""
    read = read_tokens(body)
    first = next((index for index in read.words(name) if not read.is_member(index) and not _is_discarded(read, index)), None)
    return first is not None and (not read.is_joined(first + 1, "=") or read.is_joined(first + 1, "=="))


def _is_discarded(read: TokenReader, index: int) -> bool:
    """``(void)n``"""
    return [read.text(place) for place in range(index - 3, index)] == ["(", "void", ")"]


def _counterpart(old: Kernel, new: Kernel, place: int) -> Parameter | None:
    """B's parameter of that name, else the one at its place if it has the same type and a new name."""
    name = old.parameters[place].name
    same = next((parameter for parameter in new.parameters if parameter.name == name), None)
    if same is not None or len(old.parameters) != len(new.parameters):
        return same
    other = new.parameters[place]
    is_renamed = other.type == old.parameters[place].type and other.name not in {parameter.name for parameter in old.parameters}
    return other if is_renamed else None


def _is_given_otherwise(before: ParsedSource, kernel: Kernel, place: int, given: frozenset[str]) -> bool:
    """Whether B's kernel knows everything that A's launches compute the argument from: ``rows * cols``, or a constant of both."""
    passed = _passed(before, kernel, place)
    return bool(passed) and all(words_in_code(text) and words_in_code(text) <= given for text in passed)


def _passed(parsed: ParsedSource, kernel: Kernel, place: int) -> set[str]:
    """What the kernel's launches pass at this place, as it is spelled."""
    return {site.arguments[place].text.strip() for site in parsed.launch_sites_of(kernel) if place < len(site.arguments)}


def _is_a_template_parameter(before: ParsedSource, after: ParsedSource, old: Kernel, new: Kernel, place: int) -> bool:
    """Whether what A's launches pass is what B's are instantiated with: ``k<<<…>>>(p, 4)`` and ``k<4><<<…>>>(p)``."""
    names = [parameter.name for parameter in new.template_parameters]
    name = old.parameters[place].name
    if name not in names:
        return False
    passed = _passed(before, old, place)
    at = names.index(name)
    given = {site.template_arguments[at].strip() for site in after.launch_sites_of(new) if at < len(site.template_arguments)}
    return bool(given) and given == passed


def _is_number_of_blocks(before: ParsedSource, after: ParsedSource, old: Kernel, new: Kernel, place: int) -> bool:
    """Whether what A's launches pass is how many blocks B's launches have: ``k<<<(n + 31) / 32, 32>>>(p, n)`` and ``k<<<n, 128>>>(p)``."""
    passed = _passed(before, old, place)
    named = {text for text in passed if text.isidentifier()}
    grids = [set(_axes(site.grid.text)) for site in after.launch_sites_of(new)]
    return bool(named) and named == passed and bool(grids) and all(axes & named for axes in grids)


def _axes(grid: str) -> list[str]:
    """``dim3(64, n)`` and ``n`` as the texts of their axes."""
    read = read_tokens(grid)
    is_dim3 = read.text(0) == "dim3" and read.text(1) in ("(", "{") and read.text(len(read.tokens) - 1) in (")", "}")
    inside = read.spelled(2, len(read.tokens) - 1).split(",") if is_dim3 else [grid]
    return [axis.strip() for axis in inside]


def _is_known_otherwise(old: Kernel, new: Kernel, place: int) -> bool:
    """Whether B's kernel has another interface, without the parameter and with something that A's does not have: the starts of tiles for
    the number of particles, say. What follows from what is for the cases to show."""
    names = {parameter.name for parameter in (*new.parameters, *new.template_parameters)}
    return old.parameters[place].name not in names and bool(names - {parameter.name for parameter in old.parameters})


def _is_a_field(body: str, name: str) -> bool:
    """``p.n``: passed inside a struct now."""
    read = read_tokens(body)
    return any(read.is_member(index) for index in read.words(name))


def _numbers(code: str) -> set[int]:
    """Integer literals, and products and shifts of two of them."""
    found = set[int]()
    signs, left = "", None
    for token in tokens(code):
        value = integer_value(token.text) if token.kind is TokenKind.NUMBER else None
        if value is None:
            signs, left = (signs + token.text, left) if token.kind is TokenKind.SIGN else ("", None)
            continue
        found.add(value)
        if left is not None and signs == "*":
            found.add(left * value)
        elif left is not None and signs == "<<" and value <= _LARGEST_SHIFT:
            found.add(left << value)
        signs, left = "", value
    return found
