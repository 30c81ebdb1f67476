"""Take the reciprocal of a root by the routine made for it: `1.0f / sqrtf(x)` becomes `rsqrtf(x)`.

Only roots that nothing but divisions use. Zeros, infinities, negative values and NaN give what they gave; and as the reciprocal of a
root lies far within the range of its type (5e-20 to 3e22 for a float), no product with it is infinite, or 0, where the quotient was not.

Example::

    float len = sqrtf(x * x + y * y);            // before
    out[i] = make_float2(x / len, y / len);
    float inv_len = rsqrtf(x * x + y * y);       // after
    out[i] = make_float2(x * inv_len, y * inv_len);
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.divided_roots import DividedRoot, Quotient, divided_root_obstacle, divided_roots, is_one
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import without_line
from assistant.plan.expert.writing.style import style_of

__all__ = ["ReciprocalRoots"]

_NONE = Obstacle(DeclineReason.NOTHING_TO_CHANGE, "nothing on this line is divided by a root of a value that only the run decides")
_LOOPS_AND_BRANCHES = ("for_statement", "while_statement", "do_statement", "for_range_loop", "if_statement", "switch_statement")


class ReciprocalRoots:
    """Divisions by a root → products with its reciprocal."""

    technique = "reciprocal-roots"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        tree = context.tree
        function, roots = _found(context)
        here = [root for root in roots if tree.line(root.call) == context.line]
        if function is None or not here:
            return context.decline(self.technique, _NONE)
        obstacles = {root.call.id: divided_root_obstacle(tree, function, root) for root in roots}
        if all(obstacles[root.call.id] is not None for root in here):
            return context.decline(self.technique, obstacles[here[0].call.id] or _NONE)
        changed, edits = _apart(context, function, [root for root in roots if obstacles[root.call.id] is None])
        names = dict.fromkeys(f"`{root.routine}`" for root in changed)
        what = "the root" if len(changed) == 1 else "each root"
        return (
            Rewrite(
                self.technique,
                context.kernel.key,
                tree.line(changed[0].call),
                edits,
                f"Take the reciprocal of {what} by {' and '.join(names)} and multiply, instead of taking the root and dividing.",
                (Label.PRECISION,),
                predicted_values(context, {"divided_roots": 0.0}),
            ),
        )


def _found(context: TransformationContext) -> tuple[Function | None, tuple[DividedRoot, ...]]:
    """The function with such a root on the finding's line, and all of its roots."""
    reachable = {context.kernel.name, *context.kernel.device_functions}
    for function in functions(context.tree):
        roots = divided_roots(context.tree, function) if function.name in reachable else ()
        if any(context.tree.line(root.call) == context.line for root in roots):
            return function, roots
    return None, ()


def _apart(context: TransformationContext, function: Function, roots: list[DividedRoot]) -> tuple[list[DividedRoot], tuple[TextEdit, ...]]:
    """The roots and their edits, without those inside of what another one's edits change, which are left to a later round."""
    chosen: list[DividedRoot] = []
    edits: list[TextEdit] = []
    for root in roots:
        own = tuple(_edits(context, function, root))
        if not any(a.span.start < b.span.end and b.span.start < a.span.end for a in own for b in edits):
            chosen.append(root)
            edits += own
    return chosen, tuple(sorted(edits))


def _edits(context: TransformationContext, function: Function, root: DividedRoot) -> Iterator[TextEdit]:
    tree = context.tree
    reciprocal = f"{root.routine}({tree.text(root.value)})"
    variable = root.variable
    if variable is None or _is_used_at_once(tree, variable, root):
        yield from (_product(tree, quotient, reciprocal) for quotient in root.quotients)
        if variable is not None:
            yield without_line(tree.source, tree.span(variable.node))
        return
    name = free_name(tree, function.body, style_of(context).name("inv", variable.name))
    declared = tree.span(variable.declarator)
    at = tree.source.index(variable.name, declared.start)
    yield TextEdit(Span(at, at + len(variable.name)), name)
    yield TextEdit(tree.span(root.call), reciprocal)
    yield from (_product(tree, quotient, name) for quotient in root.quotients)


def _product(tree: SyntaxTree, quotient: Quotient, reciprocal: str) -> TextEdit:
    """``a * r`` in the place of ``a / r``, spaced as the author did; the reciprocal alone in the place of ``1.0f / r``."""
    if not quotient.is_update and is_one(tree, quotient.dividend):
        return TextEdit(tree.span(quotient.node), reciprocal)
    start, end = tree.span(quotient.dividend).end, tree.span(quotient.divisor)
    sign = tree.source[start : end.start]
    return TextEdit(Span(start, end.end), f"{sign.replace('/', '*', 1)}{reciprocal}")


def _is_used_at_once(tree: SyntaxTree, variable: Variable, root: DividedRoot) -> bool:
    """The local is used by the next statement alone, once and in any case, and declared on a line of its own."""
    statement = variable.node
    following = statement.next_named_sibling
    first, *more = root.quotients
    if more or following is None or following.type in _LOOPS_AND_BRANCHES:
        return False
    place = first.node
    is_inside = following.start_byte <= place.start_byte and place.end_byte <= following.end_byte
    is_alone = without_line(tree.source, tree.span(statement)).span != tree.span(statement)
    declares_one = sum(1 for _ in declared_variables(tree, statement)) == 1
    return is_inside and is_alone and declares_one and _is_computed_first(tree, following)


def _is_computed_first(tree: SyntaxTree, statement: Node) -> bool:
    """Nothing in the statement changes a value before the quotient is computed: only what is assigned last of all changes."""
    changes = list(tree.find("assignment_expression", "update_expression", "lambda_expression", inside=statement))
    if not all(is_pure(callee_name(tree, call)) for call in tree.find("call_expression", inside=statement)):
        return False
    if statement.type == "expression_statement":
        return changes == [statement.named_children[0]]
    return statement.type in ("declaration", "return_statement") and not changes
