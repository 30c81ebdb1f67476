"""A loop that adds products of what a row decides and what a column decides, which is what tensor cores do.

Example::

    products_of_sides(context, kernel, loads)     # of `sum += alpha * A[i * m + k] * B[j * m + k]`
    # ProductSum('sum', ((Side('y', 'alpha * A[i * m + k]', …), Side('x', 'B[j * m + k]', …)),))
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, joined, parsed_expression, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_kernel import ElementKernel
from assistant.plan.expert.analysis.staged_loads import StagedLoad
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["ProductSum", "Side", "products_of_sides"]

_OTHER_LOOP = Obstacle(
    DeclineReason.LOOP_FORM, "the loop does more than add products of a row's and a column's value to one sum, which tensor cores do"
)


class Side(Record):
    """Factors of a product that a row (``y``) or a column (``x``) decides, with the loop's counter."""

    axis: str
    text: str
    """All of them, as one expression without locals of the loop."""
    names: frozenset[str]
    """What it is made of."""
    load: StagedLoad
    """The first of its loads."""


class ProductSum(Record):
    """What the loop adds up."""

    name: str
    """Of the sum."""
    products: tuple[tuple[Side, Side], ...]
    """Of each product the row's side and the column's."""


def products_of_sides(tree: SyntaxTree, kernel: ElementKernel, loads: tuple[StagedLoad, ...]) -> ProductSum | Obstacle:
    """The sum and its products; or that the loop does something else."""
    body = kernel.loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    held: dict[str, Node] = {}
    names: set[str] = set()
    products: list[tuple[Side, Side]] = []
    changed = changed_names(tree, body)
    for statement in statements:
        if statement.type == "declaration":
            for variable in declared_variables(tree, statement):
                is_plain = variable.type in ("auto", *(load.type for load in loads)) and not (variable.is_array or variable.is_pointer)
                if variable.value is None or variable.name in changed or not is_plain:
                    return _OTHER_LOOP
                held[variable.name] = variable.value
            continue
        added = _added(tree, statement)
        if added is None:
            return _OTHER_LOOP
        names.add(added[0])
        for term in added[1]:
            product = _product(tree, kernel, loads, held, term)
            if product is None:
                return _OTHER_LOOP
            products.append(product)
    own = {value.name for value in kernel.locals.values}
    return ProductSum(names.pop(), tuple(products)) if len(names) == 1 and names <= own else _OTHER_LOOP


def _added(tree: SyntaxTree, statement: Node) -> tuple[str, tuple[tuple[Node, ...], ...]] | None:
    """(the sum, the factors of each term that is added) of ``sum += …``, ``sum = sum + …`` and ``sum = fma(a, b, sum)``."""
    only = statement.named_children[0] if statement.type == "expression_statement" and statement.named_children else None
    if only is None or only.type != "assignment_expression":
        return None
    left, right, operator = (only.child_by_field_name(field) for field in ("left", "right", "operator"))
    if left is None or right is None or operator is None or left.type != "identifier":
        return None
    name = tree.text(left)
    if tree.text(operator) == "+=":
        return name, tuple(_factors(term) for term in joined(right, "+"))
    if tree.text(operator) != "=":
        return None
    called, arguments = right.child_by_field_name("function"), right.child_by_field_name("arguments")
    if right.type == "call_expression" and called is not None and arguments is not None:
        given = arguments.named_children
        is_fma = tree.text(called) in ("fma", "__fma_rn", "std::fma") and len(given) == 3 and tree.text(given[2]) == name
        return (name, ((*_factors(given[0]), *_factors(given[1])),)) if is_fma else None
    terms = joined(right, "+")
    rest = [term for term in terms if tree.text(unparenthesized(term)) != name]
    return (name, tuple(_factors(term) for term in rest)) if rest and len(rest) == len(terms) - 1 else None


def _factors(term: Node) -> tuple[Node, ...]:
    return tuple(joined(unparenthesized(term), "*"))


def _product(
    tree: SyntaxTree, kernel: ElementKernel, loads: tuple[StagedLoad, ...], held: dict[str, Node], factors: tuple[Node, ...]
) -> tuple[Side, Side] | None:
    """The term's sides; None where a factor is decided by more than a row or a column, or a side loads nothing."""
    sides: dict[str, list[Node]] = {"y": [], "x": []}
    for factor in factors:
        axes = _axes(tree, kernel, held, factor)
        if axes is None or len(axes) > 1:
            return None
        sides["".join(axes) or "y"].append(factor)
    made = [_side(tree, loads, held, axis, sides[axis]) for axis in "yx"]
    return None if made[0] is None or made[1] is None else (made[0], made[1])


def _side(tree: SyntaxTree, loads: tuple[StagedLoad, ...], held: dict[str, Node], axis: str, factors: list[Node]) -> Side | None:
    """None where it loads nothing that the axis decides."""
    nodes = [*factors]
    for node in nodes:
        nodes += [held[name] for name in sorted(names_in(tree, node) & held.keys())]
    load = next((each for each in loads if each.axis == axis and any(_holds(node, each.node) for node in nodes)), None)
    names = frozenset(name for node in nodes for name in names_in(tree, node)) - held.keys()
    texts = [_text(tree, held, factor) for factor in factors]
    text = _opened(texts[0]) if len(texts) == 1 else " * ".join(texts)
    return None if load is None else Side(axis, text, names, load)


def _opened(text: str) -> str:
    """Without parentheses around all of it."""
    return text[1:-1] if text.startswith("(") and parsed_expression(text[1:-1]) is not None else text


def _text(tree: SyntaxTree, held: dict[str, Node], node: Node) -> str:
    """A factor with what the loop's locals stand for."""
    if tree.text(node) in held:
        return _text(tree, held, held[tree.text(node)])
    offset, text = tree.span(node).start, tree.text(node)
    for name in sorted(tree.find("identifier", inside=node), key=lambda each: each.start_byte, reverse=True):
        if tree.text(name) in held:
            span = tree.span(name)
            text = text[: span.start - offset] + _text(tree, held, held[tree.text(name)]) + text[span.end - offset :]
    return f"({text})" if node.type in ("binary_expression", "conditional_expression") else text


def _axes(tree: SyntaxTree, kernel: ElementKernel, held: dict[str, Node], factor: Node) -> frozenset[str] | None:
    """Axes that decide a factor; None where the sum does, or what it calls."""
    if any(tree.find("call_expression", "assignment_expression", "update_expression", "pointer_expression", inside=factor)):
        return None
    axes: frozenset[str] = frozenset()
    for name in names_in(tree, factor) - {kernel.header.variable}:
        inner = _axes(tree, kernel, held, held[name]) if name in held else kernel.axes_of(tree, name)
        if inner is None:
            return None
        axes |= inner
    return axes


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
