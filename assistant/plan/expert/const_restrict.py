"""Say which pointers are only read (``const``) and that none overlap (``__restrict__``).

Every launch and call in the text is followed back to allocations first; pointers that may overlap are left as they are, and the reason is
given where nothing else would help the finding. Where the text leaves it open and no recorded launch passed one allocation for both, the
edit is offered as one that rests on an assumption.

Example::

    __global__ void axpy(float *y, float *x, int n)
    // becomes
    __global__ void axpy(float *__restrict__ y, const float *__restrict__ x, int n)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import names_in
from assistant.cuda.parameters import declared_name
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of, parameters_of
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.recorded_facts import RecordedFacts
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.pointer_roots import global_pointers, pointer_names, unclear_access
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.read_only import const_edits, make_const
from assistant.plan.expert.analysis.unchanging_loads import unchanging_loads
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded, NoCallers, Overlap, overlap
from assistant.workload.recorded_words import apart_assumption

__all__ = ["ConstRestrict"]

_DECLARED_WORKLOAD = re.compile(r"/\*\s*kernelopt\b")


class _Pointer(Record):
    """One pointer parameter and what the kernel does through it."""

    variable: Variable
    flow: tuple[TextEdit, ...] | None
    """Edits elsewhere that ``const`` needs; None if the kernel may write through it."""

    @property
    def is_read_only(self) -> bool:
        return self.variable.is_const or self.flow is not None

    @property
    def wants_const(self) -> bool:
        return not self.variable.is_const and self.flow is not None


class ConstRestrict:
    """``const`` and ``__restrict__`` on a kernel's pointer parameters."""

    technique = "const-restrict"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        tree = context.tree
        same_name = [f for f in functions(tree) if f.name == context.kernel.name]
        function = next((f for f in same_name if tree.span(f.body) == context.kernel.body), None)
        if function is None or len(same_name) > 1:
            reason = Obstacle(
                DeclineReason.LAUNCH_UNKNOWN, f"`{context.kernel.name}` is defined more than once, so its launches cannot be distinguished"
            )
            return context.decline(self.technique, reason)
        pointers = tuple(_pointers(tree, function))
        refusal = _refusal(tree, function, pointers)
        if refusal is not None:
            return context.decline(self.technique, refusal)
        together = _together(tree, function, pointers, context.recorded)
        apart = tuple(pointer for pointer in pointers if pointer.variable.name not in together)
        if together and not _is_of_use(context, function, apart):
            return context.decline(self.technique, next(iter(together.values())))
        assumption = _separate(tree, function, apart, pointers, context.recorded)
        if isinstance(assumption, Obstacle):
            return context.decline(self.technique, assumption)
        return (_rewrite(context, function, apart, assumption),)


def _pointers(tree: SyntaxTree, function: Function) -> Iterator[_Pointer]:
    for variable in function.parameters:
        if variable.is_pointer and variable.name:
            yield _Pointer(variable, const_edits(tree, function, variable.name))


def _refusal(tree: SyntaxTree, function: Function, pointers: tuple[_Pointer, ...]) -> Obstacle | None:
    """Why the declarations cannot or need not change; None if they can."""
    if len(pointers) < 2:
        return Obstacle(
            DeclineReason.NOTHING_TO_CHANGE, "the kernel has fewer than two pointers, so there is nothing they could overlap with"
        )
    if all(p.variable.is_restrict and not p.wants_const for p in pointers):
        return Obstacle(DeclineReason.ALREADY_DONE, "every pointer has `__restrict__` already, and `const` where it is only read")
    if all(p.is_read_only for p in pointers):
        return Obstacle(
            DeclineReason.NOTHING_TO_CHANGE,
            "the kernel writes through none of its pointers, so nothing is ever loaded again because of them",
        )
    for pointer in pointers:
        name = pointer.variable.name
        if pointer.variable.is_volatile:
            return Obstacle(DeclineReason.VOLATILE, f"`{name}` is volatile: each access must reach memory")
        if "**" in tree.text(pointer.variable.node).replace(" ", ""):
            return Obstacle(
                DeclineReason.POINTER_UNCLEAR, f"`{name}` is a pointer to pointers; `__restrict__` does not apply to what they point to"
            )
        if any(_is_redirected(tree, use.node) for use in uses_of(tree, function.body, name) if use.kind is Use.ESCAPE):
            return Obstacle(DeclineReason.POINTER_CHANGES, f"`{name}` is pointed at another buffer inside the kernel")
    unclear = unclear_access(tree, function, function.body) or _foreign_pointer(tree, function)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{unclear}` points is not clear: it may be memory of another pointer")
    mangled = f"_Z{len(function.name)}{function.name}"
    if any(mangled in tree.text(n) for n in tree.find("string_literal")):
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the kernel is looked up by its mangled name `{mangled}…`, which `const` would change")
    return None


def _foreign_pointer(tree: SyntaxTree, function: Function) -> str | None:
    """A device pointer variable, or a local pointer that is not made from parameters and arrays of the function."""
    known = pointer_names(tree, function)
    for name, variables in locals_of(tree, function.body).items():
        for variable in variables:
            is_made_here = variable.value is None or names_in(tree, variable.value) & known
            if variable.is_pointer and not variable.is_array and not is_made_here:
                return name
    own = {*locals_of(tree, function.body), *(p.name for p in function.parameters)}
    for name in sorted(global_pointers(tree, function, function.body) - own):
        declared = locals_of(tree, tree.root).get(name, ())
        if any(variable.is_pointer for variable in declared):
            return name
    return None


def _is_redirected(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type != "assignment_expression" or parent.child_by_field_name("left") != node:
        return False
    operator = parent.child_by_field_name("operator")
    return operator is None or tree.text(operator) == "="


def _together(
    tree: SyntaxTree, function: Function, pointers: tuple[_Pointer, ...], recorded: RecordedFacts | None
) -> Mapping[str, Obstacle]:
    """Pointers that may overlap with another one, by name, and why."""
    found: dict[str, Obstacle] = {}
    for a, b in _pairs(pointers, pointers):
        match overlap(tree, function, a, b, recorded):
            case Overlap(reason):
                obstacle = Obstacle(DeclineReason.MAY_OVERLAP, f"`{a}` and `{b}` may overlap: {reason}")
                found |= {name: found.get(name, obstacle) for name in (a, b)}
            case _:
                pass
    return found


def _is_of_use(context: TransformationContext, function: Function, apart: tuple[_Pointer, ...]) -> bool:
    """The finding's line loads an unchanging element through one of these, which does not say yet that it overlaps with no other."""
    tree = context.tree
    loaded = {load.pointer for load in unchanging_loads(tree, function) if tree.line(load.node) == context.line}
    return any(pointer.variable.name in loaded and not pointer.variable.is_restrict for pointer in apart)


def _pairs(some: tuple[_Pointer, ...], pointers: tuple[_Pointer, ...]) -> Iterator[tuple[str, str]]:
    """Of ``some`` with any, by their names, where at least one is written."""
    for a, b in combinations(pointers, 2):
        if (a in some or b in some) and not (a.is_read_only and b.is_read_only):
            yield a.variable.name, b.variable.name


def _separate(
    tree: SyntaxTree, function: Function, some: tuple[_Pointer, ...], pointers: tuple[_Pointer, ...], recorded: RecordedFacts | None
) -> Obstacle | str | None:
    """What has to be assumed of launches that the text does not show, so that ``some`` overlap with no other; None if nothing; why not."""
    unseen: str | None = None
    assumed: list[tuple[str, str]] = []
    for a, b in _pairs(some, pointers):
        match overlap(tree, function, a, b, recorded):
            case NoCallers(caller):
                unseen = caller
            case ApartAsRecorded(first, second):
                assumed.append((first, second))
            case _:
                pass
    if recorded is not None and assumed and unseen is None:
        return apart_assumption(recorded, *assumed)
    if unseen is None:
        return None
    if not _DECLARED_WORKLOAD.search(tree.source):
        return Obstacle(
            DeclineReason.CALLERS_UNKNOWN,
            f"nothing in this {tree.extent} calls `{unseen}`, so whether its callers pass overlapping buffers is not known",
        )
    return (
        f"callers of `{unseen}` pass buffers that do not overlap, as the declared workload does; "
        f"nothing in this {tree.extent} calls it, so this is not guarded"
    )


def _rewrite(context: TransformationContext, function: Function, pointers: tuple[_Pointer, ...], assumption: str | None) -> Rewrite:
    tree = context.tree
    keyword = "__restrict" if re.search(r"\b__restrict\b", tree.source) else "__restrict__"
    edits: list[TextEdit] = []
    for pointer in pointers:
        if pointer.wants_const:
            edits += [make_const(tree, pointer.variable), *(pointer.flow or ())]
        if not pointer.variable.is_restrict:
            edits += _restrict_edits(tree, pointer.variable, keyword)
    edits += _declaration_edits(tree, function, pointers, keyword)
    const_names = ", ".join(f"`{p.variable.name}`" for p in pointers if p.wants_const)
    made_const = f"Declare {const_names} const and " if const_names else "Declare "
    is_every = len(pointers) == sum(variable.is_pointer and bool(variable.name) for variable in function.parameters)
    named = "every pointer" if is_every else ", ".join(f"`{p.variable.name}`" for p in pointers)
    return Rewrite(
        technique=ConstRestrict.technique,
        kernel=context.kernel.key,
        line=context.kernel.line,
        edits=tuple(sorted(set(edits))),
        summary=f"{made_const}{named} of `{function.name}` `{keyword}`.",
        labels=() if assumption is None else (Label.ASSUMPTION,),
        predictions=predicted_values(context, {"global_requests_per_warp": 1.0}),
        assumptions=() if assumption is None else (assumption,),
    )


def _restrict_edits(tree: SyntaxTree, variable: Variable, keyword: str) -> list[TextEdit]:
    name = declared_name(variable.declarator)
    if name is None:
        return []
    name_span, declarator_span = tree.span(name), tree.span(variable.declarator)
    if variable.declarator.type == "array_declarator" and variable.indirection == 1:
        return [TextEdit(declarator_span, f"*{keyword} {variable.name}")]
    return [TextEdit(Span(name_span.start, name_span.start), f"{keyword} ")]


def _declaration_edits(tree: SyntaxTree, function: Function, pointers: tuple[_Pointer, ...], keyword: str) -> Iterator[TextEdit]:
    """The same in prototypes and explicit instantiations, matched by position."""
    wanted = {function.parameters.index(p.variable): p for p in pointers}
    for declarator in tree.find("function_declarator"):
        name = declarator.child_by_field_name("declarator")
        parameters = parameters_of(tree, declarator)
        if name is None or tree.text(name).split("<")[0].split("::")[-1].strip() != function.name:
            continue
        if len(parameters) != len(function.parameters) or parameters == function.parameters:
            continue
        for index, pointer in wanted.items():
            other = parameters[index]
            if pointer.wants_const and not other.is_const:
                yield make_const(tree, other)
            if other.name and not other.is_restrict:
                yield from _restrict_edits(tree, other, keyword)
