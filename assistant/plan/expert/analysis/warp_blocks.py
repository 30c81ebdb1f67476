"""Launches whose blocks may hold any number of whole warps: which numbers say how many, and what the grid makes of them.

A block's size is one number of threads or of warps, at the launch or behind a name (``32 * WARPS``). A grid follows it where it is
ceil(E / warps) for the E that it gives at one warp a block; that is tried with numbers. Example::

    blocks = warp_blocks_of(context)      # of `k<<<(n + WARPS - 1) / WARPS, 32 * WARPS>>>`, or the sentence that says why not
    blocks[0].edits(256)                  # WARPS becomes 8
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from assistant.cuda.constants import file_constants
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, node_text, parsed_expression, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.block_axes import grid_expression, grid_names, literal_of_name, other_uses
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["TRIAL_SIZES", "WARP_SIZE", "WarpBlock", "warp_blocks_of"]

WARP_SIZE = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
TRIAL_SIZES = (32, 64, 96, 128, 512)
_TRIAL_VALUES = (1000, 4097, 123457)
"""Stand for sizes of the host program: round, just over a power of two, and odd."""
_MOST_LITERALS = 5
"""Numbers of a grid that are tried in each of their meanings."""
_NAMES = ("identifier", "type_identifier")


class Place(Record):
    """A number in the text that goes with the size."""

    span: Span
    less: int
    """What it is less than the size: 1 in ``(n + 255) / 256``."""
    threads: int
    """Threads that one of it counts: 32 where it counts warps."""

    def at(self, size: int) -> int:
        return size // self.threads - self.less


class WarpBlock(Record):
    """The block of one launch, in one dimension."""

    size: int
    """Threads."""
    places: tuple[Place, ...]
    """In the text of `of_program`."""
    values: tuple[tuple[int, tuple[tuple[str, int], ...]], ...]
    """For each of `TRIAL_SIZES` what the names that go with it stand for, template parameters among them."""

    def edits(self, size: int) -> tuple[TextEdit, ...]:
        return tuple(TextEdit(place.span, str(place.at(size))) for place in self.places)


def warp_blocks_of(context: TransformationContext, grid_may_stay: bool) -> tuple[WarpBlock, ...] | Obstacle:
    """The block of each launch, in the order of `launches_of`; a sentence where one cannot be changed, or its grid would not follow.

    ``grid_may_stay`` is for kernels whose loops stride over the grid: any number of blocks covers their work.
    """
    if declared_shapes(context):
        return Obstacle(DeclineReason.LAUNCH_FORM, "the kernel's own launch would have to be in sight, where a workload block declares one")
    found: list[WarpBlock] = []
    for launch in launches_of(context):
        block = _block(of_program(context), launch, grid_may_stay)
        if isinstance(block, Obstacle):
            return block
        found.append(block)
    return tuple(found) or Obstacle(DeclineReason.LAUNCH_UNKNOWN, "no launch of the kernel is in sight")


def _block(program: TransformationContext, launch: Launch, grid_may_stay: bool) -> WarpBlock | Obstacle:
    place = program.tree.place(launch.site.span)
    sizes = [evaluate(component, launch.scope, {}) for component in launch.block.components]
    if not sizes or sizes[0] is None or sizes[0] % WARP_SIZE or any(size != 1 for size in sizes[1:]):
        words = f"the block of the launch on {place} would have to be a number of whole warps in one dimension"
        return Obstacle(DeclineReason.BLOCK_SHAPE, words)
    obstacle = Obstacle(DeclineReason.LAUNCH_FORM, f"the block's size in the launch on {place} is not one number that could be changed")
    for held in _held(program, launch, sizes[0]):
        names = {size: _names_at(program, launch, held, size) for size in TRIAL_SIZES}
        places = _grid_places(program, launch, held, names)
        if places is None and not (grid_may_stay and not _follows_names(launch, names)):
            words = f"the grid of the launch on {place} does not follow from the number of warps a block by rounding up"
            obstacle = Obstacle(DeclineReason.GRID_FORM, words)
            continue
        changed = dict.fromkeys((*names[WARP_SIZE], *_block_names(launch)))
        changed |= dict.fromkeys(grid_names(launch, 0)) if places is not None else {}
        reason = other_uses(program, launch, tuple(changed), tuple(_own_spans(program, launch, frozenset(names[WARP_SIZE]))))
        if reason is None:
            known = tuple((size, tuple((names[size] | _template_values(program, launch, names[size])).items())) for size in TRIAL_SIZES)
            return WarpBlock(sizes[0], tuple(dict.fromkeys((held.place, *(places or ())))), known)
        obstacle = reason
    return obstacle


class _Held(Record):
    place: Place
    name: str | None
    """None for a number at the launch."""


def _held(program: TransformationContext, launch: Launch, size: int) -> Iterator[_Held]:
    """The numbers that the block's size may be held in: at the launch, or one that a name stands for."""
    node = unparenthesized(launch.block.components[0])
    definition = launch.scope.definition(node_text(node)) if node.type in _NAMES else None
    literal = unparenthesized(node if definition is None else definition)
    if literal.type == "number_literal":
        yield _Held(Place(program.tree.span(literal), 0, 1), node_text(node) if definition is not None else None)
        return
    constants = dict(file_constants(program.tree.source))
    waiting, seen = [literal], dict[str, None]()
    while waiting:
        for name in _named(waiting.pop()):
            value = None if name in seen else launch.scope.definition(name) or parsed_expression(constants.get(name, ""))
            seen[name] = None
            waiting += [] if value is None else [value]
    for name in seen:
        for threads in (1, WARP_SIZE):
            span = literal_of_name(program, launch, name)
            if span is None or str(size // threads) != program.text[span.start : span.end]:
                continue
            held = _Held(Place(span, 0, threads), name)
            if all(evaluate(node, launch.scope, _names_at(program, launch, held, trial)) == trial for trial in TRIAL_SIZES):
                yield held


def _named(node: Node) -> Iterator[str]:
    """Names in an expression, and members as wholes."""
    if node.type in (*_NAMES, "field_expression"):
        yield node_text(node).replace(" ", "")
    for child in node.named_children:
        yield from _named(child)


def _names_at(program: TransformationContext, launch: Launch, held: _Held, size: int) -> dict[str, int]:
    """What the name stands for at a size, the block's variable, and constants that are made of the name."""
    found = {} if held.name is None else {held.name: held.place.at(size)}
    if launch.block.variable is not None:
        found[f"{launch.block.variable}.x"] = size
    scope = scope_inside(program.tree, None)
    constants = {name: node for name, text in file_constants(program.tree.source) if (node := parsed_expression(text)) is not None}
    is_new = True
    while is_new:
        made = {name for name, node in constants.items() if name not in found and any(each in found for each in _named(node))}
        values = {name: evaluate(constants[name], scope, found) for name in made}
        known = {name: value for name, value in values.items() if value is not None}
        found, is_new = found | known, bool(known)
    return found


def _template_values(program: TransformationContext, launch: Launch, names: Mapping[str, int]) -> dict[str, int]:
    """Template parameters of the kernel whose arguments at the launch go with the size."""
    arguments = zip(program.kernel.template_parameters, launch.site.template_arguments, strict=False)
    given = {parameter.name: node for parameter, text in arguments if (node := parsed_expression(text)) is not None}
    values = {name: evaluate(node, launch.scope, names) for name, node in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def _block_names(launch: Launch) -> Iterator[str]:
    if launch.block.variable is not None:
        yield launch.block.variable
    node = unparenthesized(launch.block.components[0])
    if node.type in _NAMES:
        yield node_text(node)


def _own_spans(program: TransformationContext, launch: Launch, names: frozenset[str]) -> Iterator[Span]:
    """The kernel, the launch but for its arguments, and the constants that are made of ``names``."""
    yield program.kernel.span
    for each in launches_of(program):
        yield Span(each.site.span.start, each.site.block.span.end)
    for node in program.tree.find("preproc_def", "init_declarator", "enumerator"):
        label = node.child_by_field_name("declarator" if node.type == "init_declarator" else "name")
        if label is not None and node_text(label) in names:
            yield program.tree.span(node)


def _follows_names(launch: Launch, names: Mapping[int, Mapping[str, int]]) -> bool:
    """The grid has something of the block's size in it."""
    expression = grid_expression(launch, 0)
    return expression is None or any(name in names[WARP_SIZE] for name in _named(expression))


def _grid_places(
    program: TransformationContext, launch: Launch, held: _Held, names: Mapping[int, Mapping[str, int]]
) -> tuple[Place, ...] | None:
    """Numbers of the grid that change with the size; None where the grid is not ceil(E / warps)."""
    expression = grid_expression(launch, 0)
    if expression is None:
        return None
    size = int(program.text[held.place.span.start : held.place.span.end]) * held.place.threads
    literals = [(node, _meanings(program, node, size)) for node in _literals(expression)]
    free = [(node, meanings) for node, meanings in literals if len(meanings) > 1]
    if len(free) > _MOST_LITERALS:
        return None
    for chosen in product(*(meanings for _, meanings in free)):
        places = tuple((node, place) for (node, _), place in zip(free, chosen, strict=True) if place is not None)
        if all(_rounds_up(launch, expression, places, names, value) for value in _TRIAL_VALUES):
            return tuple(place for _, place in places)
    return None


def _literals(node: Node) -> Iterator[Node]:
    if node.type == "number_literal":
        yield node
    for child in node.named_children:
        yield from _literals(child)


def _meanings(program: TransformationContext, literal: Node, size: int) -> tuple[Place | None, ...]:
    """What a number may be: one that stays (None), or the threads or warps of a block, or one less."""
    span, text = program.tree.span(literal), node_text(literal)
    ways = (Place(span, less, threads) for threads in (1, WARP_SIZE) for less in (0, 1))
    return (None, *(place for place in ways if str(place.at(size)) == text))


def _rounds_up(
    launch: Launch,
    expression: Node,
    places: tuple[tuple[Node, Place], ...],
    names: Mapping[int, Mapping[str, int]],
    value: int,
) -> bool:
    """The expression is ceil(E / warps) at every trial size, with what it is made of besides at ``value`` and its neighbours."""
    unknown = list(dict.fromkeys(_unknown(launch, expression, names[WARP_SIZE], 0)))
    environment = {name: value + 7 * index for index, name in enumerate(unknown)}
    total: int | None = None
    for size in TRIAL_SIZES:
        known = {**environment, **names[size]}
        blocks = evaluate(expression, launch.scope, known) if not places else _replaced(launch, expression, places, known, size)
        total = blocks if total is None else total
        if blocks is None or total is None or total <= 1 or blocks != -(-total * WARP_SIZE // size):
            return False
    return True


def _replaced(launch: Launch, expression: Node, places: tuple[tuple[Node, Place], ...], known: Mapping[str, int], size: int) -> int | None:
    whole, position, parts = expression.text or b"", 0, list[bytes]()
    for node, place in places:
        parts += [whole[position : node.start_byte - expression.start_byte], str(place.at(size)).encode()]
        position = node.end_byte - expression.start_byte
    changed = parsed_expression(b"".join((*parts, whole[position:])).decode("utf-8", "surrogatepass"))
    values = {name: launch.scope.definition(name) for name in _named(expression)}
    local = {
        name: value for name, node in values.items() if node is not None and (value := evaluate(node, launch.scope, known)) is not None
    }
    scope = launch.scope.without(())
    return None if changed is None else evaluate(changed, type(scope)(scope.constants, scope.formulas, {}), {**local, **known})


def _unknown(launch: Launch, expression: Node, names: Mapping[str, int], depth: int) -> Iterator[str]:
    """What the expression is made of that the text gives no number for: names, and members, elements and calls as wholes."""
    kind, text = expression.type, node_text(expression)
    called = expression.child_by_field_name("function") if kind == "call_expression" else None
    is_followed = called is not None and (
        node_text(called) in launch.scope.formulas or node_text(called).startswith(("static_cast", "std::m"))
    )
    if kind in ("field_expression", "subscript_expression") or (called is not None and not is_followed):
        yield text.replace(" ", "")
    elif kind in _NAMES:
        definition = launch.scope.definition(text)
        if text in names or text in launch.scope.formulas or evaluate(expression, launch.scope, names) is not None:
            return
        if definition is not None and depth < _MOST_LITERALS:
            yield from _unknown(launch, definition, names, depth + 1)
        yield text
    else:
        for child in expression.named_children:
            yield from _unknown(launch, child, names, depth)
