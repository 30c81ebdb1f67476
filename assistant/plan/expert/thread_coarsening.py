"""Let a thread compute the results of several planes (channels, filters, …) that read partly the same data.

Applies where blocks along one axis of the grid stand for planes: what a loop loads without looking at the plane is then loaded once for
several results, which are kept in registers.

Example::

    int f = blockIdx.y;
    float s = 0;
    for (int k = 0; k < taps; k++) s += x[i + k] * w[f * taps + k];
    y[f * n + i] = s;
    // becomes, with a fourth of the blocks along y
    const int first_f = blockIdx.y * 4;
    int f[4];
    for (int r = 0; r < 4; r++) f[r] = min(first_f + r, filters - 1);
    float s[4] = {};
    for (int k = 0; k < taps; k++) { for (int r = 0; r < 4; r++) s[r] += x[i + k] * w[f[r] * taps + k]; }
    for (int r = 0; r < 4; r++) y[f[r] * n + i] = s[r];
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import changed_names
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import free_name, mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.plane_kernel import PlaneKernel, plane_kernel
from assistant.plan.expert.analysis.scaled_grids import coarser_grid, thinner_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record
from assistant.workload.recorded_words import apart_assumption

__all__ = ["ThreadCoarsening"]

_COUNTS = (8, 4, 2)
"""Results of a thread: 8 values and 8 addresses still fit in registers beside what loops need."""
_UNKNOWN_COUNT = 4
"""Where no launch was seen."""


class _Plan(Record):
    kernel: PlaneKernel
    count: int
    bound: Variable | None
    """The parameter that the plane stays below; None where every launch has a multiple of ``count`` of them."""


class ThreadCoarsening:
    """A plane a thread → several; how many is left to tuning."""

    technique = "thread-coarsening"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        kernel = plane_kernel(context)
        if kernel is None:
            return ()
        obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
        if isinstance(kernel, Obstacle):
            return context.decline(self.technique, kernel)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        made = [_variant(context, kernel, count) for count in _counts(context, kernel)]
        rewrites = tuple(each for each in made if not isinstance(each, Obstacle))
        why = next((each for each in made if isinstance(each, Obstacle)), _few_blocks(kernel))
        return rewrites or context.decline(self.technique, why)


def _variant(context: TransformationContext, kernel: PlaneKernel, count: int) -> Rewrite | Obstacle:
    bound = _bound(context, kernel, count) if kernel.modulus is None else _bound_of_modulus(context, kernel.modulus, count)
    if isinstance(bound, Obstacle):
        return bound
    plan = _Plan(kernel, count, kernel.function.parameter(bound))
    grid = _grid(context, plan)
    return grid if isinstance(grid, Obstacle) else _rewrite(context, plan, grid)


def _counts(context: TransformationContext, kernel: PlaneKernel) -> tuple[int, ...]:
    """Results of a thread that leave enough blocks, the most promising first."""
    planes, blocks = _planes(context, kernel), min((launch.grid.count for launch in context.launches), default=None)
    if blocks is None:
        return (_UNKNOWN_COUNT, *(count for count in _COUNTS if count != _UNKNOWN_COUNT))
    return tuple(count for count in _COUNTS if count <= (planes or count) and blocks // count >= BUSY_BLOCKS)


def _few_blocks(kernel: PlaneKernel) -> Obstacle:
    few = f"the launch has so few blocks that with several values of `{kernel.index.name}` in each parts of the GPU would have no work"
    return Obstacle(DeclineReason.NO_GAIN, few)


def _planes(context: TransformationContext, kernel: PlaneKernel) -> int | None:
    """How many the smallest launch had that was seen; None where that is not known."""
    if kernel.modulus is None:
        return min((getattr(launch.grid, kernel.axis) for launch in context.launches), default=None)
    scalars = {} if context.recorded is None else {s.name: int(s.lowest) for s in context.recorded.scalars}
    return evaluate(kernel.modulus, scope_of(context.tree, context.kernel), scalars)


def _bound(context: TransformationContext, kernel: PlaneKernel, count: int) -> str | Obstacle:
    """The parameter that has the number of planes at every launch; empty where that is a constant, and a multiple of ``count``."""
    found: set[str] = set()
    for launch in launches_of(context):
        place = "xyz".index(kernel.axis)
        node = launch.grid.components[place] if len(launch.grid.components) > place else None
        value = None if node is None else evaluate(node, launch.scope, {})
        text = "" if node is None else node_text(node).strip()
        given = zip(context.kernel.parameters, launch.site.arguments, strict=False)
        named = [p.name for p, argument in given if argument.text.strip() == text and not text.isdigit() and not p.is_pointer]
        found.add(next(iter(named), "" if value is not None and value % count == 0 else "?"))
    name = found.pop() if len(found) == 1 else "?"
    if name == "?" or name in changed_names(context.tree, context.body):
        words = f"the number of blocks along {kernel.axis} would have to be a constant or a parameter of the kernel at every launch"
        return Obstacle(DeclineReason.SIZE_UNKNOWN, words)
    return name


def _bound_of_modulus(context: TransformationContext, modulus: Node, count: int) -> str | Obstacle:
    name, value = context.tree.text(modulus), evaluate(modulus, scope_of(context.tree, context.kernel).fixed(), {})
    if name in {p.name for p in context.kernel.parameters} - changed_names(context.tree, context.body):
        return name
    words = f"`{name}` would have to be a constant multiple of {count}, or a parameter that the kernel leaves as it is"
    return "" if value is not None and value % count == 0 else Obstacle(DeclineReason.SIZE_UNKNOWN, words)


def _grid(context: TransformationContext, plan: _Plan) -> tuple[TextEdit, ...] | Obstacle:
    kernel = plan.kernel
    if kernel.modulus is None:
        return coarser_grid(context, {kernel.axis: plan.count})
    name, places = context.tree.text(kernel.modulus), [p.name for p in context.kernel.parameters]
    given = {launch.site.arguments[places.index(name)].text.strip() for launch in launches_of(context)} if name in places else {name}
    if len(given) != 1:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the launches pass `{name}` in different ways")
    return thinner_grid(context, kernel.axis, given.pop(), plan.count)


def _rewrite(context: TransformationContext, plan: _Plan, grid: tuple[TextEdit, ...]) -> Rewrite:
    kernel, elsewhere = plan.kernel, launch_elsewhere(context, f"a block for {plan.count} values of `{plan.kernel.index.name}`")
    own, in_others = by_file(context, (*_edits(context, plan), *grid))
    pairs = [(pair.first, pair.second) for pair in kernel.apart]
    apart = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    return Rewrite(
        technique=ThreadCoarsening.technique,
        kernel=context.kernel.key,
        line=context.tree.line(kernel.statements[0]),
        edits=own,
        summary=f"Compute {plan.count} values of `{kernel.index.name}` in each thread, which loads `{kernel.shared}` once for them.",
        labels=tuple(dict.fromkeys((*launch_labels(context, elsewhere), *((Label.ASSUMPTION,) if apart else ())))),
        predictions=(),
        assumptions=(*elsewhere, *apart),
        in_others=in_others,
        numbers=(("values_per_thread", plan.count),),
    )


def _edits(context: TransformationContext, plan: _Plan) -> Iterator[TextEdit]:
    tree, kernel, part = context.tree, plan.kernel, free_name(context.tree, context.body, "r", "part")
    for group in _groups(kernel.statements):
        yield _replicated(context, plan, group, part)
    if kernel.modulus is None:
        return
    for node in kernel.quotients:
        yield TextEdit(tree.span(node.named_children[-1]), _group_count(context, plan))
    first = min((s for s in kernel.function.body.named_children if _takes_apart(kernel, s)), key=lambda s: s.start_byte)
    if first != kernel.index.node:
        yield from before_statement(tree, first, _groups_declared(context, plan))


def _takes_apart(kernel: PlaneKernel, statement: Node) -> bool:
    places = (kernel.index.node, *kernel.quotients)
    return any(statement.start_byte <= node.start_byte < statement.end_byte for node in places)


def _group_count(context: TransformationContext, plan: _Plan) -> str:
    """Name of the local with the number of blocks for all planes."""
    return free_name(context.tree, context.body, style_of(context).name(plan.kernel.index.name, "groups"), "groups")


def _groups_declared(context: TransformationContext, plan: _Plan) -> str:
    modulus = plan.kernel.modulus
    assert modulus is not None, "asked before"
    divided = f"({context.tree.text(modulus)} + {plan.count - 1}) / {plan.count}"
    return f"const {'int' if plan.bound is None else plan.bound.type} {_group_count(context, plan)} = {divided};"


def _groups(statements: tuple[Node, ...]) -> list[list[Node]]:
    """Statements that follow each other share a loop, but for declarations, which stand before theirs."""
    groups: list[list[Node]] = []
    for node in statements:
        last = groups[-1][-1] if groups else None
        if last is not None and last.next_named_sibling == node and "declaration" not in (node.type, last.type):
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _replicated(context: TransformationContext, plan: _Plan, group: list[Node], part: str) -> TextEdit:
    tree, style, newline = context.tree, style_of(context), line_end(context.text)
    span = Span(tree.span(group[0]).start, tree.span(group[-1]).end)
    if group[0].type == "declaration":
        declared, statements = _declared(context, plan, group[0], part)
    else:
        declared, statements = [], [_with_parts(context, plan, node, part) for node in group]
    head = f"for (int {part} = 0; {part} < {plan.count}; {part}++)"
    inner = [style.indent + statement for statement in statements]
    looped = [f"{head} {{", *inner, "}"] if len(inner) > 1 else [head, *inner]
    lines = [*declared, *(["#pragma unroll", *looped] if statements else [])]
    parent = group[0].parent
    outer = indentation(context.text, span.start)
    if parent is None or parent.type == "compound_statement":
        return TextEdit(span, f"{newline}{outer}".join(lines))
    before = group[0].prev_sibling
    assert before is not None, "a lone branch has a head"
    head_end, base = tree.span(before).end, indentation(context.text, tree.span(parent).start)
    moved = f"{newline}{base}{style.indent}".join(["", *lines])
    return TextEdit(Span(head_end, span.end), f" {{{moved}{newline}{base}}}")


def _declared(context: TransformationContext, plan: _Plan, node: Node, part: str) -> tuple[list[str], list[str]]:
    """The declaration of an array for the planes, and what is done for each of them."""
    tree, variable = context.tree, next(iter(declared_variables(context.tree, node)))
    stars = "*" * variable.indirection
    kind = f"{'const ' if variable.is_const and variable.is_pointer else ''}{variable.type} {stars}"
    head = f"{kind}{variable.name}[{plan.count}]"
    if variable.value is None or is_literal_of(tree.text(variable.value), 0):
        return [f"{head};" if variable.value is None else f"{head} = {{}};"], []
    is_index = variable.name == plan.kernel.index.name
    value = _plane(context, plan, part) if is_index else _with_parts(context, plan, variable.value, part)
    before = [_first_declared(context, plan)] if is_index and _has_first(context, plan) else []
    if is_index and plan.kernel.modulus is not None and not _comes_after_quotients(plan):
        before = [_groups_declared(context, plan), *before]
    return [*before, f"{head};"], [f"{variable.name}[{part}] = {value};"]


def _comes_after_quotients(plan: _Plan) -> bool:
    return any(node.start_byte < plan.kernel.index.node.start_byte for node in plan.kernel.quotients)


def _plane(context: TransformationContext, plan: _Plan, part: str) -> str:
    """Beyond the last plane the last one is computed again."""
    kind = plan.kernel.index.type
    first = _first(context, plan) if _has_first(context, plan) else _first_value(context, plan)
    if plan.bound is None:
        return f"{first} + {part}"
    last = plan.bound.name if plan.bound.type == kind else f"({kind}){plan.bound.name}"
    return f"min({first} + {part}, {last} - 1)"


def _has_first(context: TransformationContext, plan: _Plan) -> bool:
    """The first plane gets a local of its own: ``blockIdx`` counts without a sign, and what it is compared with has one."""
    of_type = (variable.type == plan.kernel.index.type for variable in locals_of(context.tree, context.body).get(plan.kernel.block, ()))
    return plan.bound is not None and not any(of_type)


def _first(context: TransformationContext, plan: _Plan) -> str:
    return free_name(context.tree, context.body, style_of(context).name("first", plan.kernel.index.name))


def _first_value(context: TransformationContext, plan: _Plan) -> str:
    block = plan.kernel.block
    return f"{block if plan.kernel.modulus is None else f'{block} % {_group_count(context, plan)}'} * {plan.count}"


def _first_declared(context: TransformationContext, plan: _Plan) -> str:
    return f"const {plan.kernel.index.type} {_first(context, plan)} = {_first_value(context, plan)};"


def _with_parts(context: TransformationContext, plan: _Plan, node: Node, part: str) -> str:
    """The text with an element in place of each local that differs from plane to plane."""
    tree, span = context.tree, context.tree.span(node)
    text = context.text[span.start : span.end]
    named = [n for name in plan.kernel.dependent for n in mentions(tree, node, name)]
    for each in sorted(named, key=lambda n: -n.start_byte):
        stop = tree.span(each).end - span.start
        text = f"{text[:stop]}[{part}]{text[stop:]}"
    return text
