"""Change the block size of a launch, and its grid with it.

A size is held in one place (a literal, a host constant, a macro, a component of a ``dim3``). A grid follows it if, as a function
of the size D, it equals ceil(E / D) for the E that it gives at D = 1; that is tried with numbers, so any way of
writing it will do.

Example::

    axes = axes_of(program, launch)            # or the sentence that says why the size cannot be changed
    edits = [e for axis in axes for e in axis.edits(256)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.casts import cast_of
from assistant.cuda.functions import functions
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, node_text, parsed_expression, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Axis", "axes_of", "grid_expression", "grid_names", "literal_of_name", "other_uses"]

_NAMES = ("identifier", "type_identifier")
"""``dim3 block(THREADS)`` reads like a prototype, and THREADS like a type."""

_WHOLES = ("field_expression", "subscript_expression", "call_expression")

_TRIAL_SIZES = (1, 32, 96, 128, 512)
_TRIAL_VALUES = (1000, 4097, 123457)
"""Stand for sizes of the host program: round, just over a power of two, and odd."""


class Axis(Record):
    """One dimension of a launch's block."""

    size: int
    places: tuple[tuple[Span, int], ...]
    """Number literals to change, each with what it is less than the size (0, or 1 for ``(n + 255) / 256``)."""

    def edits(self, size: int) -> tuple[TextEdit, ...]:
        return tuple(TextEdit(span, str(size - less)) for span, less in self.places)


class _Holder(Record):
    """Where one component of the block gets its number."""

    literal: Span
    names: frozenset[str]
    """Spellings under which host code reads it (``threads``, ``block.x``); empty for a literal at the launch."""
    size: int


def axes_of(context: TransformationContext, launch: Launch, grid_may_stay: bool) -> tuple[Axis, ...] | Obstacle:
    """The axes of a launch, in the text of `of_program`; a sentence where a size cannot be changed, or the grid would not follow.

    ``grid_may_stay`` is for kernels whose loops stride over the grid: any number of blocks covers their work.
    """
    place = context.tree.place(launch.site.span)
    if not launch.block.components:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the block of the launch on {place} is made elsewhere")
    axes: list[Axis] = []
    changed: dict[str, None] = {}
    for index, component in enumerate(launch.block.components):
        holder = _holder(context, launch, component, index)
        if isinstance(holder, Obstacle):
            return holder
        if holder.size == 1 and index > 0:
            continue
        expression = grid_expression(launch, index)
        places, helper = _grid_places(context, launch, holder, expression), None
        if places is None and (helper := _own_helper(context, expression)) is not None:
            places = _grid_places(context, launch, holder, helper[1])
        if places is None and not (grid_may_stay and not _grid_mentions(launch, holder)):
            return Obstacle(
                DeclineReason.GRID_FORM, f"the grid of the launch on {place} does not follow from the block's size by rounding up"
            )
        axes.append(Axis(holder.size, tuple(dict.fromkeys(((holder.literal, 0), *(places or ()))))))
        changed |= dict.fromkeys(name.split(".")[0] for name in sorted(holder.names))
        if places is not None:
            changed |= dict.fromkeys((*grid_names(launch, index), *(() if helper is None else helper[:1])))
    reason = other_uses(context, launch, tuple(changed))
    return tuple(axes) if reason is None else reason


def _holder(context: TransformationContext, launch: Launch, component: Node, index: int) -> _Holder | Obstacle:
    tree, node, place = context.tree, unparenthesized(component), context.tree.place(launch.site.span)
    field = frozenset({f"{launch.block.variable}.{'xyz'[index]}"}) if launch.block.variable else frozenset[str]()
    value = evaluate(node, launch.scope, {})
    if value is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"the block's size in the launch on {place} is chosen while the program runs")
    if node.type == "number_literal":
        return _Holder(tree.span(node), field, value)
    literal = literal_of_name(context, launch, node_text(node)) if node.type in _NAMES else None
    if literal is None:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the block's size in the launch on {place} is not one number that could be changed")
    return _Holder(literal, field | {node_text(node)}, value)


def literal_of_name(context: TransformationContext, launch: Launch, name: str) -> Span | None:
    """The number that a host constant, enumerator or macro stands for."""
    definition = launch.scope.definition(name)
    if definition is not None:
        return context.tree.span(definition) if definition.type == "number_literal" else None
    values: list[Node] = []
    for node in context.tree.find("preproc_def", "init_declarator", "enumerator"):
        label = node.child_by_field_name("declarator" if node.type == "init_declarator" else "name")
        value = node.child_by_field_name("value")
        if label is not None and value is not None and node_text(label) == name:
            values.append(value)
    near = context.tree.nearest(values, launch.grid.expression)
    number = re.match(r"\s*\{?\s*(\d+)\b(?=\s*(?:$|\}|//|/\*))", node_text(near[0])) if len(near) == 1 else None
    if number is None:
        return None
    start = context.tree.span(near[0]).start
    return Span(start + number.start(1), start + number.end(1))


def grid_expression(launch: Launch, index: int) -> Node | None:
    """What the grid has along one axis, followed through a host variable."""
    if index >= len(launch.grid.components):
        return None
    node = unparenthesized(launch.grid.components[index])
    if node.type == "identifier":
        definition = launch.scope.definition(node_text(node))
        node = node if definition is None else unparenthesized(definition)
    return node


def _own_helper(context: TransformationContext, call: Node | None) -> tuple[str, Node] | None:
    """(name, what it returns) of a helper that only this file can call, of a call without numbers: ``return (n + 255) / 256`` of
    ``blocks_for(n)``."""
    if call is None:
        return None
    name, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if call.type != "call_expression" or name is None or arguments is None:
        return None
    is_only = sum(function.name == node_text(name) for function in functions(context.tree)) == 1
    if not is_only or next(_numbers(arguments), None) is not None:
        return None
    formula = scope_inside(context.tree, None).formulas.get(node_text(name))
    around = () if formula is None else tuple(context.tree.ancestors(formula.body))
    definition = next((node for node in around if node.type == "function_definition"), None)
    if formula is None or definition is None or not (_is_private(definition) or any(_is_unnamed(node) for node in around)):
        return None
    return node_text(name), unparenthesized(formula.body)


def _numbers(node: Node) -> Iterator[Node]:
    if node.type == "number_literal":
        yield node
    for child in node.named_children:
        yield from _numbers(child)


def _is_private(definition: Node) -> bool:
    return any(child.type == "storage_class_specifier" and node_text(child) == "static" for child in definition.children)


def _is_unnamed(node: Node) -> bool:
    return node.type == "namespace_definition" and node.child_by_field_name("name") is None


def _grid_mentions(launch: Launch, holder: _Holder) -> bool:
    """True where the grid is computed from the block's size in some way."""
    expressions = (grid_expression(launch, index) for index in range(len(launch.grid.components)))
    return any(_mentions(e, holder.names) for e in expressions if e is not None)


def _mentions(node: Node, names: frozenset[str]) -> bool:
    if node_text(node).replace(" ", "") in names:
        return True
    return any(_mentions(child, names) for child in node.named_children)


def _grid_places(
    context: TransformationContext, launch: Launch, holder: _Holder, expression: Node | None
) -> tuple[tuple[Span, int], ...] | None:
    """Literals of the grid that change with the size; None where the grid is not ceil(E / size)."""
    if expression is None:
        return None
    if _mentions(expression, holder.names):
        literals: tuple[tuple[Node, int], ...] = ()
    else:
        literals = tuple(_size_literals(expression, holder.size))
    follows = all(_rounds_up(launch.scope, expression, holder, literals, value) for value in _TRIAL_VALUES)
    return tuple((context.tree.span(node), less) for node, less in literals) if follows else None


def _size_literals(node: Node, size: int) -> Iterator[tuple[Node, int]]:
    """(literal, size - literal) of each number that is the size or one less."""
    if node.type == "number_literal" and node_text(node) in {str(size), str(size - 1)} and size > 2:
        yield node, size - int(node_text(node))
    for child in node.named_children:
        yield from _size_literals(child, size)


def _rounds_up(scope: Scope, expression: Node, holder: _Holder, literals: tuple[tuple[Node, int], ...], value: int) -> bool:
    """True when the expression is ceil(E / D) for every trial size D, with unknown names at ``value`` and its neighbours."""
    environment = {name: value + 7 * index for index, name in enumerate(_unknown_names(expression, scope, holder, 0))}
    results = [_at_size(scope, expression, holder, literals, environment, size) for size in _TRIAL_SIZES]
    known = [r for r in results if r is not None]
    if len(known) != len(results):
        return False
    total = known[0]
    return total > 1 and all(blocks == -(-total // size) for size, blocks in zip(_TRIAL_SIZES, known, strict=True))


def _at_size(
    scope: Scope,
    expression: Node,
    holder: _Holder,
    literals: tuple[tuple[Node, int], ...],
    environment: dict[str, int],
    size: int,
) -> int | None:
    if not literals:
        return evaluate(expression, scope, {**environment, **dict.fromkeys(holder.names, size)})
    whole, start, position = expression.text or b"", expression.start_byte, 0
    parts: list[bytes] = []
    for node, less in literals:
        parts += [whole[position : node.start_byte - start], str(size - less).encode()]
        position = node.end_byte - start
    text = b"".join((*parts, whole[position:])).decode("utf-8", "surrogatepass")
    replaced = parsed_expression(text)
    named = {name: v for name in _names(expression, scope, holder) if (v := _name_value(name, scope)) is not None}
    return None if replaced is None else evaluate(replaced, Scope({}, scope.formulas, {}), {**named, **environment})


def _name_value(name: str, scope: Scope) -> int | None:
    definition = scope.definition(name)
    return scope.constants.get(name) if definition is None else evaluate(definition, scope, {})


def _names(node: Node, scope: Scope, holder: _Holder) -> Iterator[str]:
    """Names in an expression, and what stands for a number as a whole: ``job->n``, ``v.size()``, ``shape[0]``."""
    if node.type in _NAMES:
        yield node_text(node)
    elif _is_number_from_elsewhere(node, scope, holder):
        yield node_text(node).replace(" ", "")
    else:
        for child in node.named_children:
            yield from _names(child, scope, holder)


def _is_number_from_elsewhere(node: Node, scope: Scope, holder: _Holder) -> bool:
    """A member, an element, or a call of something else than a helper of this file, that has nothing of the block's size in it."""
    called = node.child_by_field_name("function") if node.type == "call_expression" else None
    if node.type not in _WHOLES or (called is not None and (cast_of(node) is not None or _is_followed(node_text(called), scope))):
        return False
    return not _mentions(node, holder.names) and next(_size_literals(node, holder.size), None) is None


def _is_followed(called: str, scope: Scope) -> bool:
    return called in scope.formulas or called.split("::")[-1] in {"min", "max"}


def _unknown_names(expression: Node, scope: Scope, holder: _Holder, depth: int) -> tuple[str, ...]:
    """Names that the text gives no number for, in order."""
    found: dict[str, None] = {}
    for name in _names(expression, scope, holder):
        definition = scope.definition(name)
        if name in holder.names or name in scope.formulas or _name_value(name, scope) is not None:
            continue
        if definition is not None and depth < 8:
            found |= dict.fromkeys(_unknown_names(definition, scope, holder, depth + 1))
        found[name] = None
    return tuple(found)


def grid_names(launch: Launch, index: int) -> Iterator[str]:
    """Host variables that carry one component of the grid."""
    if launch.grid.variable is not None:
        yield launch.grid.variable
    node = unparenthesized(launch.grid.components[index])
    if node.type in _NAMES:
        yield node_text(node)


def other_uses(context: TransformationContext, launch: Launch, names: tuple[str, ...], own: tuple[Span, ...] = ()) -> Obstacle | None:
    """Why one of ``names`` must keep its value: something else than this kernel's launches, and what is its ``own``, reads it."""
    allowed = (*_launch_spans(context), *own)
    for name in names:
        local = [] if launch.function is None else _mentions_of(context, launch.function, name)
        is_local = any(_is_defined_here(node) for node in local)
        for node in local if is_local else _mentions_outside(context, launch, name):
            span = context.tree.span(node)
            if not _is_defined_here(node) and not any(a.contains(span) for a in allowed):
                return Obstacle(DeclineReason.USED_ELSEWHERE, f"{name} is also used on {context.tree.place(span)}")
    return None


def _mentions_outside(context: TransformationContext, launch: Launch, name: str) -> list[Node]:
    """Mentions of what no function defines; a file with a definition of its own means that one."""
    mentions = _mentions_of(context, context.tree.root, name)
    definitions = [node for node in mentions if _is_defined_here(node)]
    meant = context.tree.nearest(definitions, launch.grid.expression)
    return [node for node in mentions if not meant or any(each in meant for each in context.tree.nearest(definitions, node))]


def _mentions_of(context: TransformationContext, region: Node, name: str) -> list[Node]:
    return [node for node in context.tree.find(*_NAMES, inside=region) if node_text(node) == name]


def _launch_spans(context: TransformationContext) -> Iterator[Span]:
    """Text that belongs to launches of this kernel: the configuration, and the declarations of its variables."""
    for launch in launches_of(context):
        yield launch.site.grid.span
        yield launch.site.block.span
        for shape in (launch.grid, launch.block):
            for component in shape.components:
                yield context.tree.span(component)
                node = unparenthesized(component)
                definition = launch.scope.definition(node_text(node)) if node.type in _NAMES else None
                if definition is not None:
                    yield context.tree.span(definition)


def _is_defined_here(node: Node) -> bool:
    parent = node.parent
    kinds = {"init_declarator", "preproc_def", "enumerator", "declaration", "function_declarator"}
    if parent is not None and parent.type == "field_expression":
        return parent.parent is not None and parent.parent.child_by_field_name("left") == parent
    return parent is not None and parent.type in kinds and parent.child_by_field_name("value") != node
