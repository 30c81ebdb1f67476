"""Calls of math functions for which the device has one that computes the same with less work.

Sines and cosines of a multiple of pi (``cos(2 * M_PI * u)``: ``cospi``), a sine and a cosine of one angle (``sincos``), and powers of 2 and
10 (``pow(2.0, x)``: ``exp2``). nvcc replaces none of them (13.0, sm_90). Example::

    (form,) = cheaper_forms(tree, function)
    form.sines[0].routine       # 'cospi'
    form.obstacle               # None, or why it must stay
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.constant_numbers import ConstantNumbers
from assistant.plan.expert.analysis.run_time_values import RunTimeValues
from assistant.plan.expert.analysis.sine_pairs import Sine, SinePair, sine_pairs
from assistant.plan.expert.analysis.unit_factors import UnitFactors
from assistant.plan.expert.analysis.value_flow import largest_expression, sink_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["CheaperForm", "ConstantBase", "cheaper_forms"]

_SINES = {name + suffix: name for name in ("sin", "cos", "sincos") for suffix in ("", "f")}
_POWERS = ("pow", "powf")
_BASES = {2.0: "exp2", 10.0: "exp10"}
_DOUBLES = (Kind.DOUBLE, Kind.WIDENED, Kind.WIDENED_INTEGER, Kind.LITERAL)
_INTEGERS = (Kind.INTEGER, Kind.INTEGER_CONSTANT)


class ConstantBase(Record):
    """``pow(2.0, x)``."""

    call: Node
    exponent: Node
    routine: str
    """``exp2f`` …"""
    kind: Kind


class CheaperForm(Record):
    """Calls that change together."""

    sines: tuple[Sine, ...] = ()
    """Those that are not of ``pairs``."""
    pairs: tuple[SinePair, ...] = ()
    power: ConstantBase | None = None
    obstacle: Obstacle | None = None

    @property
    def calls(self) -> tuple[Node, ...]:
        """In source order."""
        found = [*(sine.call for sine in self.sines), *(sine.call for pair in self.pairs for sine in pair.sines)]
        found += [] if self.power is None else [self.power.call]
        return tuple(sorted(found, key=lambda call: call.start_byte))

    @property
    def routines(self) -> tuple[str, ...]:
        """What is called instead."""
        names = [*(pair.routine for pair in self.pairs), *(sine.routine for sine in self.sines)]
        return tuple(dict.fromkeys(names if self.power is None else [*names, self.power.routine]))

    @property
    def is_of_pi(self) -> bool:
        return any(sine.taken is not None for sine in (*self.sines, *(one for pair in self.pairs for one in pair.sines)))

    @property
    def is_double(self) -> bool:
        kinds = [*(sine.kind for sine in self.sines), *(pair.sines[0].kind for pair in self.pairs)]
        return Kind.FLOAT not in (kinds if self.power is None else [self.power.kind])


def cheaper_forms(tree: SyntaxTree, function: Function) -> tuple[CheaperForm, ...]:
    """In source order, also those that must stay."""
    text = tree.text(function.body)
    found = [*_angles(tree, function)] if "sin" in text or "cos" in text else []
    found += [*_powers(tree, function)] if "pow" in text else []
    return tuple(sorted(found, key=lambda form: form.calls[0].start_byte))


def _angles(tree: SyntaxTree, function: Function) -> Iterator[CheaperForm]:
    sines = [*_sines(tree, function)]
    for group in _connected(sines):
        pairs = [pair for pair in sine_pairs(tree, function, group) if pair.obstacle is None]
        paired = {sine.call.id for pair in pairs for sine in pair.sines}
        single = [sine for sine in group if sine.call.id not in paired and sine.taken is not None]
        if not pairs and not single:
            continue
        form = CheaperForm(tuple(single), tuple(pairs))
        yield CheaperForm(form.sines, form.pairs, None, _obstacle_of_angles(tree, function, group, form))


def _sines(tree: SyntaxTree, function: Function) -> Iterator[Sine]:
    kinds, run_time, factors = ValueKinds(tree, function), _RunTime(tree, function), UnitFactors(tree, function, math.pi)
    for call in tree.find("call_expression", inside=function.body):
        name, given = callee_name(tree, call).removeprefix("std::").removeprefix("::"), given_arguments(call)
        plain = _SINES.get(name)
        if plain is None or len(given) != (3 if plain == "sincos" else 1) or call.has_error or not run_time.decides(given[0]):
            continue
        kind = Kind.FLOAT if name.endswith("f") else _kind(kinds, given[0])
        yield Sine(call, plain, given[0], kind, factors.taken_out(given[0], is_float=kind is Kind.FLOAT))


def _kind(kinds: ValueKinds, node: Node) -> Kind:
    """``FLOAT``, ``DOUBLE`` or ``UNKNOWN``; what is computed with a double is one, whatever stands next to it."""
    kind = kinds.of(node)
    if kind in (*_DOUBLES, *_INTEGERS):
        return Kind.DOUBLE
    parts = binary_parts(unparenthesized(node)) if kind is Kind.UNKNOWN else None
    is_double = parts is not None and parts[0] in "+-*/" and Kind.DOUBLE in (_kind(kinds, parts[1]), _kind(kinds, parts[2]))
    return kind if kind is Kind.FLOAT else Kind.DOUBLE if is_double else Kind.UNKNOWN


class _RunTime:
    """What compilers do not fold: also what functions of the program return, and what stands outside the function."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._values = RunTimeValues(tree, function)
        self._numbers = ConstantNumbers(tree, function)
        self._locals = locals_of(tree, function.body)

    def decides(self, node: Node) -> bool:
        if self._numbers.of(node) is not None:
            return False
        return self._values.decides(node) or any(self._is_of_elsewhere(name) for name in self._tree.find("identifier", inside=node))

    def _is_of_elsewhere(self, name: Node) -> bool:
        found = self._locals.get(self._tree.text(name), ())
        calls = (c for v in found if v.value is not None for c in self._tree.find("call_expression", inside=v.value))
        is_called = any(not is_pure(callee_name(self._tree, call)) for call in calls)
        is_callee = name.parent is not None and name.parent.type == "call_expression"
        return is_called or (not found and not is_callee and self._numbers.of(name) is None)


def _connected(sines: Sequence[Sine]) -> Iterator[tuple[Sine, ...]]:
    """Those that share a local which holds their angle, or are written of the same one."""
    left = list(sines)
    while left:
        group, size = [left.pop(0)], 0
        while len(group) > size:
            size = len(group)
            keys = {key for sine in group for key in sine.keys}
            group += [sine for sine in left if keys & sine.keys]
            left = [sine for sine in left if not keys & sine.keys]
        yield tuple(sorted(group, key=lambda sine: sine.call.start_byte))


def _obstacle_of_angles(tree: SyntaxTree, function: Function, group: Sequence[Sine], form: CheaperForm) -> Obstacle | None:
    first = form.calls[0]
    unsure = next((sine.taken.obstacle for sine in group if sine.taken is not None and sine.taken.obstacle is not None), None)
    if unsure is not None:
        return unsure
    unknown = next((sine for sine in group if sine.kind is Kind.UNKNOWN), None)
    if unknown is not None:
        words = f"whether `{tree.text(unknown.call)}` is a float or a double does not follow from this file"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    kinds = ValueKinds(tree, function)
    if any(kinds.of(sine.argument) is Kind.WIDENED and _goes_to_a_float(tree, function, sine.call) for sine in group):
        words = f"a literal without `f` makes `{tree.text(first)}` a double: the literal first, then the function"
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, words)
    return _obstacle_of_locals(tree, function, group) or _obstacle_of_names(tree, function, [*form.routines, *_names(tree, form)], first)


def _names(tree: SyntaxTree, form: CheaperForm) -> list[str]:
    return [callee_name(tree, call).removeprefix("std::").removeprefix("::") for call in form.calls]


def _obstacle_of_locals(tree: SyntaxTree, function: Function, group: Sequence[Sine]) -> Obstacle | None:
    """A local that holds an angle may be used for nothing else."""
    uses = {use.id for sine in group if sine.taken is not None for use in sine.taken.uses}
    for variable in {v.name: v for sine in group if sine.taken is not None for v in sine.taken.locals}.values():
        declared = variable.declarator
        for node in tree.find("identifier", inside=function.body):
            is_declared = declared.start_byte <= node.start_byte < declared.end_byte
            if tree.text(node) == variable.name and node.id not in uses and not is_declared:
                words = f"`{variable.name}` is also used at line {tree.line(node)}, where the angle itself is needed"
                return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    return None


def _obstacle_of_names(tree: SyntaxTree, function: Function, names: Sequence[str], call: Node) -> Obstacle | None:
    own = {f.name for f in functions(tree)} | macro_texts(tree).keys()
    taken = next((name for name in names if name in own), None)
    if taken is not None:
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"`{taken}` means something of the program's own here")
    head = tree.source[function.span.start : tree.span(function.body).start]
    words = set(head.split()) | {word for name in head.split() for text in macro_texts(tree).get(name, ()) for word in text.split()}
    if "__host__" in words:
        words_of = f"`{function.name}` is compiled for the host as well, which has no `{names[0]}`: it would have to be device code alone"
        return Obstacle(DeclineReason.CALLERS_UNKNOWN, words_of)
    return None


def _powers(tree: SyntaxTree, function: Function) -> Iterator[CheaperForm]:
    kinds, run_time, numbers = ValueKinds(tree, function), _RunTime(tree, function), ConstantNumbers(tree, function)
    for call in tree.find("call_expression", inside=function.body):
        name, given = callee_name(tree, call).removeprefix("std::").removeprefix("::"), given_arguments(call)
        if name not in _POWERS or len(given) != 2 or call.has_error or not run_time.decides(given[1]):
            continue
        base = numbers.of(given[0])
        routine = None if base is None else _BASES.get(base.value)
        if base is None or routine is None:
            continue
        kind = kinds.of(given[1])
        is_float = name == "powf" or (base.is_float and kind is Kind.FLOAT)
        power = ConstantBase(call, given[1], routine + ("f" if is_float else ""), Kind.FLOAT if is_float else Kind.DOUBLE)
        yield CheaperForm(power=power, obstacle=_obstacle_of_power(tree, function, power, kind))


def _obstacle_of_power(tree: SyntaxTree, function: Function, power: ConstantBase, kind: Kind) -> Obstacle | None:
    call, exponent = tree.text(power.call), tree.text(power.exponent)
    if kind in _INTEGERS:
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, f"`{exponent}` is an integer, whose power may have to be exact")
    if kind not in (Kind.FLOAT, *_DOUBLES):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the type of `{exponent}` does not follow from this file")
    if power.kind is Kind.DOUBLE and kind is Kind.FLOAT and _goes_to_a_float(tree, function, power.call):
        words = f"a literal without `f` makes `{call}` a double: the literal first, then the power"
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, words)
    name = callee_name(tree, power.call).removeprefix("std::").removeprefix("::")
    return _obstacle_of_names(tree, function, [power.routine, name], unparenthesized(power.call))


def _goes_to_a_float(tree: SyntaxTree, function: Function, call: Node) -> bool:
    return sink_of(tree, ValueKinds(tree, function), function, largest_expression(tree, call)).kind is Kind.FLOAT
