"""Keep an element of global memory that a loop accumulates into in a register: load before the loop, store after it.

Declines wherever the element could be seen or changed by anything else while the loop runs. Where only recorded launches show that the
pointers of the loop are apart, the edit states that as an assumption.

Example::

    for (int k = 0; k < n; ++k) out[i] += a[k];
    // becomes
    float out_acc = out[i];
    for (int k = 0; k < n; ++k) out_acc += a[k];
    out[i] = out_acc;
"""

from __future__ import annotations

from assistant.cuda.accesses import canonical, uses_of
from assistant.cuda.assignments import modified_names
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import fresh_name, names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.accumulators import Accumulator, accumulators_at, target_of, why_unsafe
from assistant.plan.expert.analysis.loop_entry import entry_condition, runs_at_least_once
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, zero_of
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded
from assistant.workload.recorded_words import apart_assumption

__all__ = ["ScalarReplacement"]


_SCALING = ("*=", "/=", "+=", "-=")
"""Updates that give the element its value before the loop: ``out[i] *= beta``."""


class _Start(Record):
    """How the register gets its first value and whether the loop needs a guard."""

    store: Node | None
    """The assignment right before the loop that gives it; None: load the element."""
    guard: str | None
    """Condition under which the loop runs at all; None: it always does, or the element is already written before it."""
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


class ScalarReplacement:
    """Global accumulator in a loop → register."""

    technique = "scalar-replacement"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        accumulators = accumulators_at(context)
        if not accumulators:
            return context.decline(
                self.technique,
                Obstacle(
                    DeclineReason.NOTHING_TO_CHANGE,
                    "no loop around this line adds to an element of global memory through a pointer of the kernel",
                ),
            )
        obstacles: list[Obstacle] = []
        for accumulator in accumulators:
            for loop in reversed(loops_around(context.tree, accumulator.node)):
                match _start_of(context, accumulator, loop):
                    case Obstacle() as obstacle:
                        obstacles.append(obstacle)
                    case _Start() as start:
                        return (_rewrite(context, accumulator, loop, start),)
        return context.decline(self.technique, obstacles[-1])


def _start_of(context: TransformationContext, accumulator: Accumulator, loop: Node) -> _Start | Obstacle:
    tree, apart = context.tree, why_unsafe(context, accumulator, loop)
    if isinstance(apart, Obstacle):
        return apart
    store = _store_before(tree, accumulator, loop)
    if store is not None:
        return _Start(store if _is_adjacent(tree, store, loop, accumulator) else None, None, apart)
    if _is_conditional(tree, accumulator, loop):
        return Obstacle(
            DeclineReason.CONDITIONAL,
            f"`{tree.text(target_of(accumulator.node))}` is updated only under a condition; loading it before the loop "
            "could touch memory that the kernel does not touch now",
        )
    if runs_at_least_once(tree, loop, accumulator.function):
        return _Start(None, None, apart)
    header = counted_header(tree, loop)
    type_name = _register_type(tree, accumulator)
    if header is None or type_name == "auto" or header.comparison == "!=":
        return Obstacle(DeclineReason.CONDITIONAL, "the loop may not run at all, and then the element must not be touched")
    guard = entry_condition(tree, loop, header, accumulator.function)
    if guard is None:
        return Obstacle(DeclineReason.CONDITIONAL, "the loop may not run at all, and whether it does cannot be asked again after it")
    return _Start(None, guard, apart)


def _store_before(tree: SyntaxTree, accumulator: Accumulator, loop: Node) -> Node | None:
    """The assignment that surely writes the element before ``loop``: a statement of a block around it."""
    node = loop
    changed: frozenset[str] = frozenset()
    names = names_in(tree, target_of(accumulator.node)) | hidden_names(tree, target_of(accumulator.node))
    for ancestor in tree.ancestors(loop):
        if ancestor.type == "compound_statement":
            for sibling in reversed([s for s in ancestor.named_children if s.end_byte <= node.start_byte]):
                store = _plain_store(tree, sibling)
                if store is not None and canonical(tree, store) == accumulator.place and not names & changed:
                    return sibling.named_children[0]
                changed |= modified_names(tree, sibling)
        if ancestor == accumulator.function.body or ancestor.type in LOOPS:
            return None
        node = ancestor
    return None


def _plain_store(tree: SyntaxTree, statement: Node) -> Node | None:
    if statement.type != "expression_statement" or not statement.named_children:
        return None
    assignment = statement.named_children[0]
    operator = assignment.child_by_field_name("operator")
    if assignment.type != "assignment_expression" or operator is None or tree.text(operator) not in ("=", *_SCALING):
        return None
    return assignment.child_by_field_name("left")


def _is_adjacent(tree: SyntaxTree, store: Node, loop: Node, accumulator: Accumulator) -> bool:
    """Only comments, pragmas, declarations without memory accesses and other running values' starts lie between the store and the loop, in
    one block."""
    statement = store.parent
    if statement is None or statement.parent != loop.parent:
        return False
    node = statement.next_named_sibling
    while node is not None and node != loop:
        is_quiet = node.type in ("comment", "preproc_call") or (
            node.type == "declaration" and not any(tree.find("subscript_expression", "pointer_expression", "call_expression", inside=node))
        )
        if not is_quiet and not _starts_another(tree, node, loop, accumulator):
            return False
        node = node.next_named_sibling
    return node == loop


def _starts_another(tree: SyntaxTree, statement: Node, loop: Node, accumulator: Accumulator) -> bool:
    """``y[i] = 0;`` through a pointer that the loop uses, too, and which is apart from the accumulator's for that."""
    store = _plain_store(tree, statement)
    value = None if store is None else statement.named_children[0].child_by_field_name("right")
    if store is None or value is None or value.type != "number_literal":
        return False
    base = canonical(tree, store).partition("[")[0]
    return base != accumulator.base and base in global_pointers(tree, accumulator.function, loop)


def _is_conditional(tree: SyntaxTree, accumulator: Accumulator, loop: Node) -> bool:
    """Some iteration may skip the update: an ``if`` or an inner loop around it, or a jump before it."""
    plain = ("compound_statement", "expression_statement", "parenthesized_expression", "comma_expression")
    for ancestor in tree.ancestors(accumulator.node):
        if ancestor == loop:
            break
        is_sure_loop = ancestor.type in LOOPS and runs_at_least_once(tree, ancestor, accumulator.function)
        if ancestor.type not in plain and not is_sure_loop:
            return True
    jumps = tree.find("break_statement", "continue_statement", inside=loop)
    return any(jump.start_byte < accumulator.node.start_byte for jump in jumps)


def _register_type(tree: SyntaxTree, accumulator: Accumulator) -> str:
    if "." in accumulator.place.split("]")[-1] or "->" in accumulator.place:
        return "auto"
    return element_type(tree, accumulator.function, accumulator.base) or "auto"


def _rewrite(context: TransformationContext, accumulator: Accumulator, loop: Node, start: _Start) -> Rewrite:
    tree = context.tree
    base = accumulator.base.lower() if len(accumulator.base) == 1 else accumulator.base.rstrip("_")
    name = fresh_name(tree, style_of(context).name(base, "acc"))
    element = tree.text(target_of(accumulator.node))
    type_name = _register_type(tree, accumulator)
    declaration = f"{type_name} {name}"
    edits = [TextEdit(tree.span(use.node), name) for use in uses_of(tree, loop, accumulator.base)]
    store = f"{element} = {name};"
    if start.store is not None:
        edits.append(_first_value(tree, start.store, declaration))
        edits.extend(after_statement(tree, loop, store))
    elif start.guard is not None:
        load = f"{declaration} = {start.guard} ? {element} : {zero_of(tree, type_name)};"
        edits.extend(before_statement(tree, loop, load))
        edits.extend(after_statement(tree, loop, f"if ({start.guard}) {store}"))
    else:
        edits.extend(before_statement(tree, loop, f"{declaration} = {element};"))
        edits.extend(after_statement(tree, loop, store))
    return Rewrite(
        technique=ScalarReplacement.technique,
        kernel=context.kernel.key,
        line=tree.line(accumulator.node),
        edits=tuple(sorted(edits)),
        summary=f"Keep `{element}` in the register `{name}` while the loop at line {tree.line(loop)} runs; store it once after.",
        labels=(Label.ASSUMPTION,) if start.apart else (),
        predictions=_predictions(context),
        assumptions=_assumptions(context, start),
    )


def _first_value(tree: SyntaxTree, store: Node, declaration: str) -> TextEdit:
    """The assignment before the loop as the register's declaration; ``out[i] *= beta`` becomes ``float acc = out[i] * beta``."""
    element, value, operator = target_of(store), store.child_by_field_name("right"), store.child_by_field_name("operator")
    if value is None or operator is None or tree.text(operator) == "=":
        return TextEdit(tree.span(element), declaration)
    is_one = value.type in ("identifier", "number_literal", "subscript_expression", "call_expression", "parenthesized_expression")
    text = tree.text(value) if is_one else f"({tree.text(value)})"
    return TextEdit(tree.span(store), f"{declaration} = {tree.text(element)} {tree.text(operator)[0]} {text}")


def _assumptions(context: TransformationContext, start: _Start) -> tuple[str, ...]:
    pairs = [(pair.first, pair.second) for pair in start.apart]
    return (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()


def _predictions(context: TransformationContext) -> tuple[MetricPrediction, ...]:
    """One store for each warp, where the finding cites how many there are."""
    per_warp = next((e.value for e in context.evidence if e.metric == "global_requests_per_warp"), None)
    if not per_warp:
        return ()
    sectors = next((e.value for e in context.evidence if e.metric == "global_sectors"), 0.0)
    return predicted_values(context, {"global_requests_per_warp": 1.0, "global_sectors": sectors / per_warp})
