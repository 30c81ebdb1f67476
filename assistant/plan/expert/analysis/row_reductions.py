"""What a loop makes of values that outlive it: sums, products, maxima and minima, which lanes can compute in parts.

Example::

    reductions_of(tree, function, loop)    # (Reduction('sum', 'float', Combination.SUM),)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.names import mentions, names_in
from assistant.cuda.structs import struct_fields
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.chosen_places import ChosenPlace, chosen_places
from assistant.plan.expert.analysis.element_types import launched_types, plain_type
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Combination", "Reduction", "can_be_shuffled", "is_shuffled", "member_type", "reductions_of"]

_SHUFFLED_TYPES = re.compile(r"float|double|(?:unsigned )?(?:int|long|long long)|unsigned|size_t|u?int(?:32|64)_t")
"""What ``__shfl_xor_sync`` takes without a header (CUDA C++ Programming Guide, "Warp Shuffle Functions")."""
_VECTOR = re.compile(r"(?P<element>u?(?:char|short|int|long|longlong)|float|double)(?P<count>[1-4])")
"""CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types")."""
_COMPONENTS = {"uint": "unsigned int", "longlong": "long long"}
_MAXIMA = re.compile(r"(?:std::)?(?:max|fmaxf?)")
_MINIMA = re.compile(r"(?:std::)?(?:min|fminf?)")


def can_be_shuffled(type_name: str) -> bool:
    """Whether lanes can exchange values of the type."""
    return _SHUFFLED_TYPES.fullmatch(type_name) is not None


def is_shuffled(context: TransformationContext, spelled: str) -> bool:
    """Whether they can exchange values of what the kernel calls ``spelled``, whatever its launches make of it."""
    return all(can_be_shuffled(each) for each in launched_types(context, spelled))


class Combination(StrEnum):
    """How parts of a reduction become one."""

    SUM = "+"
    PRODUCT = "*"
    MAXIMUM = "max"
    MINIMUM = "min"


class Reduction(Record):
    """A local that a loop reduces to one value."""

    variable: Variable
    """The local, or the struct that it is a member of."""
    combination: Combination
    name: str
    """As it is written: ``sum``, ``acc.x``."""
    type: str
    place: Variable | None = None
    """The local with the iteration that a maximum or a minimum is of: the first of several."""

    @property
    def is_exact(self) -> bool:
        """The order of the parts cannot change the value."""
        is_integer = can_be_shuffled(self.type) and self.type not in ("float", "double")
        return is_integer or self.combination in (Combination.MAXIMUM, Combination.MINIMUM)


def reductions_of(
    tree: SyntaxTree, function: Function, loop: Node, template_types: frozenset[str] = frozenset(), others: Collection[str] = ()
) -> tuple[Reduction, ...] | Obstacle:
    """The reductions of a loop, in the order of their first change; why not where another local outlives the loop.

    ``template_types``: names of template parameters that stand for types that can be shuffled. ``others``: locals that are known to be more
    than reductions.
    """
    inside, outside = locals_of(tree, loop), locals_of(tree, function.body)
    chosen = [each for each in chosen_places(tree, function, loop) if _place(tree, outside, each) is not None]
    found: dict[str, Reduction] = {}
    for change in assignments(tree, loop):
        owner = _owner(tree, change.target)
        if owner is None or owner in inside or owner in others or any(change.node == each.place.node for each in chosen):
            continue
        variables = outside.get(owner, ())
        name = tree.text(change.target)
        with_place = next((each for each in chosen if each.value.node == change.node), None)
        combination = _combination(tree, change, name) if with_place is None else _extreme(with_place)
        place = None if with_place is None else _place(tree, outside, with_place)
        is_other = name in found and (found[name].combination is not combination or found[name].place != place or place is not None)
        if len(variables) != 1 or combination is None or is_other:
            return Obstacle(DeclineReason.ORDER_MATTERS, _what_would_have_to_hold(tree, change, name))
        kind = variables[0].type if name == owner else member_type(tree, variables[0].type, name.removeprefix(owner))
        if variables[0].is_pointer or variables[0].is_array or not (can_be_shuffled(plain_type(tree, kind)) or kind in template_types):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{name}` of type `{kind}` cannot surely be shuffled")
        found[name] = Reduction(variables[0], combination, name, kind, place)
    return _obstacle(tree, loop, found, chosen) or tuple(found.values())


def _what_would_have_to_hold(tree: SyntaxTree, change: Assignment, name: str) -> str:
    line, branch = tree.line(change.node), next((a for a in tree.ancestors(change.node) if a.type == "if_statement"), None)
    condition = None if branch is None else condition_of(branch)
    if branch is not None and condition is not None and name in names_in(tree, condition) and len(assignments(tree, branch)) > 1:
        return (
            f"at line {line} other values are kept with `{name}`: that would have to be the loop's counter alone, "
            "and of equal values the first (a strict comparison)"
        )
    return f"`{name}` goes from one iteration to the next at line {line} by more than a sum or a maximum"


def _extreme(chosen: ChosenPlace) -> Combination:
    return Combination.MAXIMUM if chosen.is_maximum else Combination.MINIMUM


def _place(tree: SyntaxTree, outside: Mapping[str, tuple[Variable, ...]], chosen: ChosenPlace) -> Variable | None:
    """The local that keeps the iteration, where lanes can exchange it."""
    found = outside.get(tree.text(chosen.place.target), ())
    is_plain = len(found) == 1 and not (found[0].is_pointer or found[0].is_array)
    return found[0] if is_plain and can_be_shuffled(plain_type(tree, found[0].type)) else None


def _obstacle(tree: SyntaxTree, loop: Node, found: Mapping[str, Reduction], chosen: list[ChosenPlace]) -> Obstacle | None:
    """Why an iteration needs what the one before left: a reduction is read, or something else is changed by a call."""
    owners = {each.variable.name for each in found.values()} | {each.place.name for each in found.values() if each.place is not None}
    asked = [each.condition for each in chosen]
    for owner in sorted(owners):
        uses = len(mentions(tree, loop, owner)) - sum(len(mentions(tree, condition, owner)) for condition in asked)
        if uses != sum(_own_mentions(tree, change, owner) for change in assignments(tree, loop)):
            return Obstacle(DeclineReason.ORDER_MATTERS, f"an iteration reads `{owner}` as the one before left it")
    return None


def _owner(tree: SyntaxTree, target: Node) -> str | None:
    """The local that an assignment changes or changes a member of; None where it stores to an element."""
    while target.type == "field_expression" and "->" not in tree.text(target):
        argument = target.child_by_field_name("argument")
        if argument is None:
            return None
        target = argument
    return tree.text(target) if target.type == "identifier" else None


def member_type(tree: SyntaxTree, owner: str, path: str) -> str:
    """Type of ``acc.x`` for ``float3 acc`` and for structs of the program; the owner's own where the member is not known."""
    kind = plain_type(tree, owner)
    for member in path.split(".")[1:]:
        vector = _VECTOR.fullmatch(kind)
        fields = dict(struct_fields(tree.program.source).get(kind, ())) if vector is None else {}
        if vector is not None and member.strip() in "xyzw"[: int(vector["count"])]:
            kind = _COMPONENTS.get(vector["element"], vector["element"])
        elif member.strip() in fields:
            kind = plain_type(tree, fields[member.strip()])
        else:
            return owner
    return kind


def _combination(tree: SyntaxTree, change: Assignment, name: str) -> Combination | None:
    """How one assignment changes the value; None where it is no part of a reduction."""
    value = change.value
    if change.operator in ("++", "--"):
        return Combination.SUM
    if value is None:
        return None
    if change.operator in ("+=", "-="):
        return Combination.SUM if name not in names_in(tree, value) else None
    if change.operator == "*=":
        return Combination.PRODUCT if name not in names_in(tree, value) else None
    if change.operator != "=":
        return None
    value = unparenthesized(value)
    return _called(tree, value, name) or _added(tree, value, name) or _picked(tree, value, name) or _chosen(tree, change, name)


def _called(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = fmaxf(v, e)``."""
    arguments = [tree.text(a) for a in given_arguments(value)] if value.type == "call_expression" else []
    if len(arguments) != 2 or arguments.count(name) != 1 or len(mentions(tree, value, name)) != 1:
        return None
    called = callee_name(tree, value)
    return Combination.MAXIMUM if _MAXIMA.fullmatch(called) else Combination.MINIMUM if _MINIMA.fullmatch(called) else None


def _added(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = v + e``."""
    parts = binary_parts(value)
    if parts is None or len(mentions(tree, value, name)) != 1 or tree.text(parts[1]) != name:
        return None
    return {"+": Combination.SUM, "-": Combination.SUM, "*": Combination.PRODUCT}.get(parts[0])


def _picked(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = e > v ? e : v``."""
    condition, first, second = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    parts = None if value.type != "conditional_expression" or condition is None else binary_parts(unparenthesized(condition))
    if parts is None or first is None or second is None:
        return None
    picked = (canonical(tree, unparenthesized(first)), canonical(tree, unparenthesized(second)))
    sides = (canonical(tree, parts[1]), canonical(tree, parts[2]))
    if name not in picked or set(sides) != set(picked) or sides[0] == sides[1]:
        return None
    is_larger = (parts[0][0] == ">") == (sides == picked)
    return {True: Combination.MAXIMUM, False: Combination.MINIMUM}[is_larger] if parts[0][0] in "<>" else None


def _chosen(tree: SyntaxTree, change: Assignment, name: str) -> Combination | None:
    """``if (e > v) v = e``, where nothing else is chosen with it."""
    statement = change.node.parent
    branch = None if statement is None else statement.parent
    if branch is not None and branch.type == "compound_statement":
        branch = branch.parent
    then = None if branch is None or branch.type != "if_statement" else branch.child_by_field_name("consequence")
    condition = None if branch is None or then is None else condition_of(branch)
    parts = None if condition is None else binary_parts(condition)
    if branch is None or then is None or parts is None or lone_statement(then) != statement or branch.child_by_field_name("alternative"):
        return None
    operator, left, right = parts
    value = "" if change.value is None else canonical(tree, change.value)
    sides = (canonical(tree, left), canonical(tree, right))
    if sides == (value, name):
        return {">": Combination.MAXIMUM, ">=": Combination.MAXIMUM, "<": Combination.MINIMUM, "<=": Combination.MINIMUM}.get(operator)
    if sides == (name, value):
        return {"<": Combination.MAXIMUM, "<=": Combination.MAXIMUM, ">": Combination.MINIMUM, ">=": Combination.MINIMUM}.get(operator)
    return None


def _own_mentions(tree: SyntaxTree, change: Assignment, name: str) -> int:
    """Mentions of the value that the assignment itself, and the ``if`` that chooses it, make."""
    if _owner(tree, change.target) != name:
        return 0
    if change.target.type != "identifier":
        return 1
    return len(mentions(tree, change.node, name)) + _condition_mentions(tree, change, name)


def _condition_mentions(tree: SyntaxTree, change: Assignment, name: str) -> int:
    if change.operator != "=" or _chosen(tree, change, name) is None:
        return 0
    return sum(1 for _ in _choosing(tree, change, name))


def _choosing(tree: SyntaxTree, change: Assignment, name: str) -> Iterator[Node]:
    branch = next((a for a in tree.ancestors(change.node) if a.type == "if_statement"), None)
    condition = None if branch is None else condition_of(branch)
    if condition is not None:
        yield from mentions(tree, condition, name)
