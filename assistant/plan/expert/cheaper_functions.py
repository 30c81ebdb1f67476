"""Call the math function made for it: `cos(6.283185307179586 * u)` becomes `cospi(2.0 * u)`, `pow(10.0, x)` becomes `exp10(x)`.

A sine and a cosine of one angle become one call of `sincos`. The new routines are no less exact than the old ones (``sinpi``, ``cospi``,
``exp2``, ``exp10``: up to 2 ulp; CUDA C++ Programming Guide, "Mathematical Functions"), and a multiple of pi is not rounded before it is
reduced: results may differ by what the original's rounding of the angle made of them.

Example::

    z = r * cos(6.283185307179586 * u);      // before
    z = r * cospi(2.0 * u);                  // after
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import mentions, words_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.cheaper_functions import CheaperForm, cheaper_forms
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.cheaper_functions_text import form_edits
from assistant.plan.expert.writing.layout import without_line

__all__ = ["CheaperFunctions"]

_NONE = Obstacle(
    DeclineReason.NOTHING_TO_CHANGE,
    "nothing on this line is a sine or cosine of a multiple of pi, of an angle that both are taken of, or a power of 2 or 10",
)


class CheaperFunctions:
    """Math functions of the finding's line, and of its function → cheaper ones of the same value."""

    technique = "cheaper-functions"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        function, forms = _found(context)
        here = [form for form in forms if _is_on(context, form)]
        if function is None or not here:
            return context.decline(self.technique, _NONE)
        usable = [form for form in forms if form.obstacle is None]
        if not any(form in usable for form in here):
            return context.decline(self.technique, here[0].obstacle or _NONE)
        changed, edits = _apart(context, function, usable)
        edits = tuple(sorted((*edits, *_unused(context, function, edits))))
        names = dict.fromkeys(f"`{_plain(context, form, index)}`" for form in changed for index in range(len(form.calls)))
        routines = dict.fromkeys(f"`{routine}`" for form in changed for routine in form.routines)
        has = "has" if len(names) == 1 else "have"
        is_of_pi = any(form.is_of_pi and form.is_double for form in changed)
        return (
            Rewrite(
                self.technique,
                context.kernel.key,
                context.line,
                edits,
                f"Call {' and '.join(routines)} in the place of {' and '.join(names)}, which {has} more to do for the same value.",
                (Label.PRECISION,) if is_of_pi else (),
                predicted_values(context, {"cheaper_functions": 0.0}),
            ),
        )


def _found(context: TransformationContext) -> tuple[Function | None, tuple[CheaperForm, ...]]:
    """The function with such a call on the finding's line, and all of its calls."""
    reachable = {context.kernel.name, *context.kernel.device_functions}
    for function in functions(context.tree):
        forms = cheaper_forms(context.tree, function) if function.name in reachable else ()
        if any(_is_on(context, form) for form in forms):
            return function, forms
    return None, ()


def _is_on(context: TransformationContext, form: CheaperForm) -> bool:
    return any(context.tree.line(call) == context.line for call in form.calls)


def _plain(context: TransformationContext, form: CheaperForm, index: int) -> str:
    return callee_name(context.tree, form.calls[index])


def _apart(context: TransformationContext, function: Function, forms: list[CheaperForm]) -> tuple[list[CheaperForm], tuple[TextEdit, ...]]:
    """The forms and their edits, without those inside of what another one's edits change, which are left to a later round."""
    chosen: list[CheaperForm] = []
    edits: list[TextEdit] = []
    first_here = sorted(forms, key=lambda form: not _is_on(context, form))
    for form in first_here:
        own = tuple(dict.fromkeys(form_edits(context, function, form)))
        if not any(a.span.start < b.span.end and b.span.start < a.span.end for a in own for b in edits):
            chosen.append(form)
            edits += own
    return sorted(chosen, key=lambda form: form.calls[0].start_byte), tuple(sorted(edits))


def _unused(context: TransformationContext, function: Function, edits: tuple[TextEdit, ...]) -> Iterator[TextEdit]:
    """Declarations of constants of the function that nothing uses any more."""
    tree = context.tree
    for name, found in locals_of(tree, function.body).items():
        only = found[0]
        uses = [tree.span(node) for node in mentions(tree, function.body, name) if not _is_in(node, only.declarator)]
        is_alone = len(found) == 1 and sum(1 for _ in declared_variables(tree, only.node)) == 1
        is_replaced = all(any(edit.span.contains(use) for edit in edits) for use in uses)
        if only.is_const and is_alone and uses and is_replaced and not any(name in words_in(edit.new_text) for edit in edits):
            yield without_line(tree.source, tree.span(only.node))


def _is_in(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte < other.end_byte
