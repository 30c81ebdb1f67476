"""A kernel whose locals are declared where they get their first value, as later C allows, instead of at the top.

Rules read that a local belongs to one loop or to one iteration from where it is declared. Example::

    int k;                                   //
    float sum;                               //
    if (i >= n) return;                      // if (i >= n) return;
    sum = 0;                                 // float sum = 0;
    for (k = 0; k < n; k++) sum += a[k];     // for (int k = 0; k < n; k++) sum += a[k];
"""

from __future__ import annotations

from assistant.cuda.functions import enclosing_function
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["declared_late"]


def declared_late(context: TransformationContext) -> tuple[TextEdit, ...]:
    """Edits of the kernel; none where nothing is declared before it has a value."""
    edits: list[TextEdit] = []
    for declaration in context.tree.find("declaration", inside=context.body):
        places = {v: _first_values(context, v) for v in declared_variables(context.tree, declaration)}
        for variable, starts in ((v, [context.tree.span(n).start for n in nodes]) for v, nodes in places.items()):
            edits += [TextEdit(Span(start, start), f"{variable.type} ") for start in starts]
        moved = {variable.name for variable, nodes in places.items() if nodes}
        edits += [_without(context, declaration, moved)] if moved else []
    return tuple(sorted(edits))


def _first_values(context: TransformationContext, variable: Variable) -> tuple[Node, ...]:
    """Where the declaration could go: in front of the one assignment that all uses follow, or in the heads of loops that count with it."""
    tree, block = context.tree, variable.node.parent
    is_plain = variable.value is None and not (variable.is_array or variable.is_pointer or variable.is_reference or variable.is_shared)
    function = enclosing_function(tree, variable.node)
    if not is_plain or variable.is_volatile or block is None or block.type != "compound_statement" or function is None:
        return ()
    if function.parameter(variable.name) is not None or len(locals_of(tree, function.body).get(variable.name, ())) > 1:
        return ()
    mentions = [n for n in tree.find("identifier", inside=function.body) if tree.text(n) == variable.name and n != variable.declarator]
    change = mentions[0].parent if mentions else None
    if change is None or not _gives_value(context, change, variable.name):
        return ()
    statement = change.parent
    if statement is not None and statement.type == "expression_statement" and statement.parent is not None:
        scope = statement.parent
        return (statement,) if scope.type == "compound_statement" and mentions[-1].end_byte <= scope.end_byte else ()
    return _loop_heads(context, mentions, variable.name)


def _gives_value(context: TransformationContext, change: Node, name: str) -> bool:
    left, operator, right = (change.child_by_field_name(field) for field in ("left", "operator", "right"))
    if change.type != "assignment_expression" or left is None or operator is None or right is None:
        return False
    return context.tree.text(left) == name and context.tree.text(operator) == "=" and name not in names_in(context.tree, right)


def _loop_heads(context: TransformationContext, mentions: list[Node], name: str) -> tuple[Node, ...]:
    """The first statement of each loop that counts with the local, where it is used in these alone."""
    found: dict[int, Node] = {}
    for mention in mentions:
        loops = [a for a in context.tree.ancestors(mention) if a.type == "for_statement"]
        starts = [s for a in loops if (s := a.child_by_field_name("initializer")) is not None and _gives_value(context, s, name)]
        if len(starts) != 1:
            return ()
        found[starts[0].id] = starts[0]
    return tuple(found.values())


def _without(context: TransformationContext, declaration: Node, names: set[str]) -> TextEdit:
    """The declaration without these, or no declaration, and then no line of its own."""
    tree, text, span = context.tree, context.text, context.tree.span(declaration)
    rest = [v for v in declared_variables(tree, declaration) if v.name not in names]
    if rest:
        first = tree.span(declaration.children_by_field_name("declarator")[0]).start
        kept = (n for n in declaration.children_by_field_name("declarator") if not _is_of(context, n, names))
        return TextEdit(Span(first, span.end), f"{', '.join(tree.text(n) for n in kept)};")
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    is_alone = not text[start : span.start].strip() and not text[span.end : end].strip()
    return TextEdit(Span(start, end) if is_alone else span, "")


def _is_of(context: TransformationContext, declarator: Node, names: set[str]) -> bool:
    return declarator.type == "identifier" and context.tree.text(declarator) in names
