"""Bank conflicts of a shared array that is addressed by one index, over the iterations of the loops around each access.

The first warp is followed: its lanes through their loops, as far as the text says where these start, end and how they go on; lanes that a
condition keeps away take no part. Example::

    spread_of(context, array, uses, 4)    # Spread(32, 0.25) of `s[2 * stride * threadIdx.x]`, or why one more element would not help
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.cuda.branches import condition_of
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.macros import macro_texts
from assistant.cuda.names import names_in, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray
from assistant.cuda.syntax import Node, node_text, unparenthesized
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import known_blocks, template_environment
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.analysis.warp_pattern import BANK_BYTES, WARP_SIZE, ideal_wavefront_count, lane_environments, wavefront_count
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Spread", "spread_of"]

_WHOLE_WORDS = (4, 8, 16)
_BANK_ROW_BYTES = 128
"""Of all banks side by side: one more element after so many bytes moves what follows to the next bank."""
_USUAL_BLOCK = Dim3(256)
"""Stands for a block that is chosen while the program runs."""
_UNKNOWN_SIZE = 1009
"""Stands for integer parameters in an index: a prime, so that it brings no alignment of its own."""
_MOST_ITERATIONS = 12
"""Rounds of a loop that are followed: as many as the stages of a block's largest tree or transform."""
_MOST_ACCESSES = 48
"""Accesses that are followed for each place in the text that names the array."""

_Turn = tuple[int, ...]
"""Which iteration of each loop, the outermost first."""


class Spread(Record):
    """One more element after each few of an array."""

    elements: int
    ratio: float
    """Wavefronts of the finding's line, after to before."""


class _Access(Record):
    """The elements that the lanes of a warp touch at once."""

    line: int
    indices: tuple[int | None, ...]
    """Of each lane; None where it takes no part."""


class _Wavefronts(Record):
    """Shared-memory wavefronts of a warp."""

    on_line: int
    ideal_on_line: int
    total: int
    """Of all accesses to the array."""


def spread_of(
    context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], element_bytes: int | None
) -> Spread | Obstacle:
    """After how many elements one more serves the accesses of the finding's line in fewer wavefronts, and the array's as a whole."""
    name = array.name
    if element_bytes not in _WHOLE_WORDS:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"the elements of {name} would have to have a size of 4, 8 or 16 bytes")
    hidden = next((macro for macro in _macros(context) if any(name in words_in(text) for text in macro_texts(context.tree)[macro])), None)
    if hidden is not None:
        words = f"{name} would have to be addressed in plain sight, and not by the macro {hidden}"
        return Obstacle(DeclineReason.ROW_LENGTH_MATTERS, words)
    helpers = scope_of(context.tree, context.kernel).formulas
    called = next((call for use in uses if (call := _called(use)) in helpers), None)
    if called is not None or context.kernel.macro:
        return Obstacle(
            DeclineReason.ROW_LENGTH_MATTERS,
            f"{name} would have to be addressed by plain indices, and not through {called or context.kernel.macro}",
        )
    block = next(iter(known_blocks(context)), _USUAL_BLOCK)
    values = dict.fromkeys(parameter_numbers(context.tree, context.kernel), _UNKNOWN_SIZE) | _template_values(context)
    accesses = _accesses(context, uses, block, values)
    before = _wavefronts(accesses, element_bytes, context.line, 0)
    if not before.on_line:
        words = f"which elements of {name} a warp touches depends on values that are only known while it runs"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    if before.on_line <= before.ideal_on_line:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"the warp's accesses to {name} on this line do not conflict")
    elements = _BANK_ROW_BYTES // element_bytes
    after = _wavefronts(accesses, element_bytes, context.line, elements)
    if after.on_line >= before.on_line or after.total >= before.total:
        return Obstacle(
            DeclineReason.NO_GAIN, f"one more element after each {elements} of {name} does not spread its accesses over more banks"
        )
    return _too_large(context, array, element_bytes, elements) or Spread(elements, after.on_line / before.on_line)


def _macros(context: TransformationContext) -> list[str]:
    return sorted(names_in(context.tree, context.body) & macro_texts(context.tree).keys())


def _too_large(context: TransformationContext, array: SharedArray, element_bytes: int, elements: int) -> Obstacle | None:
    size = array.sizes[0]
    count = None if size is None else evaluate(size, scope_of(context.tree, context.kernel), _template_values(context))
    used = 0 if context.resources is None else context.resources.static_shared_bytes
    own = used if count is None else count * element_bytes
    limit = context.architecture.shared_bytes_per_block_default
    if max(own, used) + own // elements <= limit:
        return None
    words = f"with more elements of {array.name} the block's static shared memory would exceed its limit of {limit} bytes"
    return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)


def _called(use: ElementUse) -> str:
    index = unparenthesized(use.indices[0])
    called = index.child_by_field_name("function") if index.type == "call_expression" else None
    return "" if called is None else node_text(called)


def _template_values(context: TransformationContext) -> dict[str, int]:
    """Integer template parameters: of all launches, else of the instance that ran longest, by its name."""
    parameters = context.kernel.template_parameters
    ran = (re.search(rf"\b{context.kernel.name}<([^<>()]*)>", profile.kernel) for profile in context.profiles)
    arguments = next((found[1] for found in ran if found is not None), "")
    pairs = zip(parameters, (argument.strip() for argument in arguments.split(",")), strict=False)
    return {parameter.name: int(text) for parameter, text in pairs if text.isdigit()} | template_environment(context)


def _accesses(context: TransformationContext, uses: tuple[ElementUse, ...], block: Dim3, values: Mapping[str, int]) -> tuple[_Access, ...]:
    """What the first warp touches, of each use whose index is known; ``values`` are those of parameters and template parameters."""
    scope = scope_of(context.tree, context.kernel)
    found: list[_Access] = []
    for use in uses:
        lanes = [dict(_turns(context, use.node, scope, {**values, **lane})) for lane in lane_environments(block)]
        for turn in list(dict.fromkeys(turn for lane in lanes for turn in lane))[:_MOST_ACCESSES]:
            active = [None if turn not in lane else evaluate(use.indices[0], scope, lane[turn]) for lane in lanes]
            known = [index for index in active if index is not None]
            if known and len(known) == sum(turn in lane for lane in lanes):
                found.append(_Access(use.line, tuple(active)))
    return tuple(found)


def _wavefronts(accesses: tuple[_Access, ...], element_bytes: int, line: int, spread: int) -> _Wavefronts:
    """With one more element after each ``spread`` of the array; 0 for none."""
    served_together = WARP_SIZE * BANK_BYTES // element_bytes
    on_line = ideal = total = 0
    for access in accesses:
        indices = [None if index is None else index + (index // spread if spread else 0) for index in access.indices]
        groups = (indices[start : start + served_together] for start in range(0, len(indices), served_together))
        count = sum(wavefront_count([index for index in group if index is not None], element_bytes) for group in groups)
        total += count
        if access.line == line:
            on_line += count
            ideal += ideal_wavefront_count([index for index in access.indices if index is not None], element_bytes)
    return _Wavefronts(on_line, ideal, total)


def _turns(context: TransformationContext, node: Node, scope: Scope, lane: dict[str, int]) -> Iterator[tuple[_Turn, dict[str, int]]]:
    """(iterations, what the names stand for then) of each time that a lane comes by a node."""
    around = [each for each in context.tree.ancestors(node) if context.body.start_byte <= each.start_byte < context.body.end_byte]
    turns: list[tuple[_Turn, dict[str, int]]] = [((), lane)]
    for each in reversed(around):
        if each.type == "for_statement" and _is_inside(node, each.child_by_field_name("body")):
            turns = [((*turn, at), inner) for turn, known in turns for at, inner in enumerate(_iterations(each, scope, known))]
        elif each.type == "if_statement":
            turns = [(turn, known) for turn, known in turns if _comes_by(each, node, scope, known)]
    yield from turns


def _iterations(loop: Node, scope: Scope, known: dict[str, int]) -> Iterator[dict[str, int]]:
    """The names in each iteration; once, as they are before it, where the text does not say how the loop goes on."""
    head, condition, update = (loop.child_by_field_name(field) for field in ("initializer", "condition", "update"))
    started = None if head is None else _started(head)
    value = None if started is None else evaluate(started[1], scope, known)
    if started is None or value is None or condition is None or update is None:
        yield known
        return
    name = started[0]
    for _ in range(_MOST_ITERATIONS):
        inner = {**known, name: value}
        if evaluate(condition, scope, inner) == 0:
            return
        yield inner
        value = _next(update, name, scope, inner)
        if value is None:
            return


def _started(head: Node) -> tuple[str, Node] | None:
    """(counter, what it starts with) of ``int i = 0`` and ``i = 0``."""
    node = head.child_by_field_name("declarator") if head.type == "declaration" else head
    if node is None or len(head.children_by_field_name("declarator")) > 1:
        return None
    name = node.child_by_field_name("declarator") or node.child_by_field_name("left")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return None if name is None or value is None or name.type != "identifier" else (node_text(name), value)


def _next(update: Node, name: str, scope: Scope, known: Mapping[str, int]) -> int | None:
    """The counter after ``i++``, ``i += 2``, ``i <<= 1``, ``i = i / 2``."""
    target = update.child_by_field_name("argument") or update.child_by_field_name("left")
    if target is None or node_text(target) != name:
        return None
    if update.type == "update_expression":
        return known[name] + (1 if "++" in node_text(update) else -1)
    right, operator = update.child_by_field_name("right"), update.child_by_field_name("operator")
    other = None if right is None else evaluate(right, scope, known)
    if other is None or operator is None:
        return None
    value = known[name]
    match node_text(operator):
        case "=":
            return other
        case "+=":
            return value + other
        case "-=":
            return value - other
        case "*=":
            return value * other
        case "/=" if other:
            return value // other
        case "<<=":
            return value << other
        case ">>=":
            return value >> other
        case _:
            return None


def _comes_by(branch: Node, node: Node, scope: Scope, known: Mapping[str, int]) -> bool:
    """A lane may come by a node in a branch, or in its condition."""
    condition = condition_of(branch)
    value = None if condition is None or _is_inside(node, condition) else evaluate(condition, scope, known)
    if value is None:
        return True
    return _is_inside(node, branch.child_by_field_name("consequence")) == (value != 0)


def _is_inside(node: Node, other: Node | None) -> bool:
    return other is not None and other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
