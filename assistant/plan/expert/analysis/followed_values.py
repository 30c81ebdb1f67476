"""What the expressions of a kernel or its helpers give the threads of a block, where sums have parts in the threads.

Statements are those of `followed_totals`.

Example::

    self._of(node, threads)     # of `v + __shfl_down_sync(0xffffffff, v, 16)`: thread 3 gets the parts of 3 and 19
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.casts import cast_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.followed_block import subscripts_of
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.thread_parts import Groups, Part, Value, rounded_to

__all__ = ["SIGNS", "FollowedValues", "Frame", "NotWholeError", "shared_names"]

SIGNS = {"+": Combination.SUM, "*": Combination.PRODUCT}
_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_MOST_CALLS = 6
_CALLS = {
    **dict.fromkeys(("max", "fmax", "fmaxf", "std::max"), Combination.MAXIMUM),
    **dict.fromkeys(("min", "fmin", "fminf", "std::min"), Combination.MINIMUM),
}
_REDUCED = {"__reduce_add_sync": Combination.SUM, "__reduce_max_sync": Combination.MAXIMUM, "__reduce_min_sync": Combination.MINIMUM}


class NotWholeError(Exception):
    """A statement looks at what some of the threads have, or does what is not understood."""

    def __init__(self, node: Node) -> None:
        super().__init__(node_text(node))
        self.node = node


@dataclass
class Frame:
    """A function that is being run: the kernel, or a helper."""

    tree: SyntaxTree
    body: Node
    scope: Scope
    numbers: list[dict[str, int]]
    values: list[dict[str, Part]]
    arrays: dict[str, str]
    """Shared arrays, by their names here."""
    own: frozenset[str]
    """Locals, and parameters of a helper."""
    returned: dict[int, Value] = field(default_factory=dict[int, Value])
    """By thread that has left the function."""


class FollowedValues(ABC):
    """Expressions, as a block's threads work them out."""

    def __init__(self, groups: Groups, kernel: Frame) -> None:
        self._groups, self._frames = groups, [kernel]
        self._elements: dict[str, dict[tuple[int, ...], Part]] = {}
        self.total_calls: set[int] = set()
        """Calls that give every thread its group's total."""

    @abstractmethod
    def _run(self, node: Node, threads: Sequence[int]) -> None:
        """These threads run a statement. Raises NotWholeError."""

    def _of(self, node: Node, threads: Sequence[int]) -> list[Value]:
        """The part that each of the threads gets from the expression."""
        node, frame = unparenthesized(node), self._frames[-1]
        parts, cast = binary_parts(node), cast_of(node)
        if node.type == "identifier":
            return [frame.values[thread].get(node_text(node)) for thread in threads]
        array = self._array(node)
        if array is not None:
            return self._load(array, node, threads)
        if cast is not None:
            kind = plain_type(frame.tree, cast.type)
            return [rounded_to(part, kind) for part in self._of(cast.value, threads)]
        if parts is not None and parts[0] in SIGNS:
            return self._pairs(SIGNS[parts[0]], *(self._of(side, threads) for side in parts[1:]))
        if node.type == "conditional_expression":
            return self._chosen(node, threads)
        if node.type == "call_expression":
            return self._of_call(node, threads)
        return self._seen_values(node, threads)

    def _of_call(self, node: Node, threads: Sequence[int]) -> list[Value]:
        name, given = self._called(node), given_arguments(node)
        if name in _CALLS and len(given) == 2:
            return self._pairs(_CALLS[name], *(self._of(side, threads) for side in given))
        if name.startswith("__shfl") and len(given) >= 3:
            return self._shuffled(name, given, threads)
        if name in _REDUCED and len(given) == 2:
            return self._reduced(_REDUCED[name], given[1], threads)
        helper = self._helper(name)
        if helper is not None and self._concerns_helper(given, threads):
            return self._inside(helper, node, given, threads)
        return self._seen_values(node, threads)

    def _shuffled(self, name: str, given: Sequence[Node], threads: Sequence[int]) -> list[Value]:
        values = dict(zip(threads, self._of(given[1], threads), strict=True))
        found = list[Value]()
        for thread in threads:
            offset = self._number(given[2], thread)
            width = self._number(given[3], thread) if len(given) > 3 else _LANES
            if offset is None or width is None or width < 1:
                raise NotWholeError(given[2])
            lane, first = thread % _LANES % width, thread - thread % _LANES % width
            other = {"_down": lane + offset, "_xor": lane ^ offset, "_up": lane - offset, "": offset % width}[_kind_of_shuffle(name)]
            source = first + other if 0 <= other < width else thread
            if source not in values and any(value is not None for value in values.values()):
                raise NotWholeError(given[1])
            found.append(values.get(source))
        return found

    def _reduced(self, combination: Combination, value: Node, threads: Sequence[int]) -> list[Value]:
        of_warp: dict[int, Value] = {}
        for thread, part in zip(threads, self._of(value, threads), strict=True):
            warp = thread // _LANES
            of_warp[warp] = self._groups.together(combination, of_warp.get(warp), part)
        return [of_warp[thread // _LANES] for thread in threads]

    def _chosen(self, node: Node, threads: Sequence[int]) -> list[Value]:
        condition, then, otherwise = (node.child_by_field_name(part) for part in ("condition", "consequence", "alternative"))
        if condition is None or then is None or otherwise is None:
            raise NotWholeError(node)
        if any(self._number(unparenthesized(condition), thread) is None for thread in threads):
            return self._seen_values(node, threads)
        those, others = self._parted(unparenthesized(condition), threads, node)
        found = dict(zip(those, self._of(then, those), strict=True)) | dict(zip(others, self._of(otherwise, others), strict=True))
        return [found[thread] for thread in threads]

    def _parted(self, condition: Node | None, threads: Sequence[int], node: Node) -> tuple[list[int], list[int]]:
        """The threads for which the condition holds, and the others."""
        if condition is None:
            raise NotWholeError(node)
        self._seen(condition, threads)
        answers = [self._number(condition, thread) for thread in threads]
        if None in answers:
            raise NotWholeError(condition)
        pairs = list(zip(threads, answers, strict=True))
        return [thread for thread, answer in pairs if answer], [thread for thread, answer in pairs if not answer]

    def _joined(self, sign: str, target: Node, value: Node, threads: Sequence[int], node: Node) -> list[Value]:
        combination = SIGNS.get(sign.removesuffix("="))
        if combination is None:
            return self._seen_values(node, threads)
        return self._pairs(combination, self._of(target, threads), self._of(value, threads))

    def _pairs(self, combination: Combination, left: list[Value], right: list[Value]) -> list[Value]:
        return [self._groups.together(combination, a, b) for a, b in zip(left, right, strict=True)]

    def _load(self, array: str, node: Node, threads: Sequence[int]) -> list[Value]:
        elements, found = self._elements.get(array, {}), list[Value]()
        for thread in threads:
            at = self._place(node, thread)
            if at is None and elements:
                raise NotWholeError(node)
            found.append(None if at is None else elements.get(at))
        return found

    def _seen_values(self, node: Node, threads: Sequence[int]) -> list[Value]:
        """What is made of parts in any other way: nothing of them is left where all were whole."""
        found: list[Value] = [None] * len(threads)
        for inner in self._parts_inside(node):
            for place, part in enumerate(self._of(inner, threads)):
                found[place] = self._groups.used(part) or found[place]
        return found

    def _seen(self, node: Node, threads: Sequence[int]) -> None:
        """The threads act on the expression: every part in it has to be whole."""
        for inner in self._parts_inside(node):
            if any(part is not None and not self._groups.is_whole(part) for part in self._of(inner, threads)):
                raise NotWholeError(node)

    def _parts_inside(self, node: Node) -> Iterator[Node]:
        """The largest expressions inside that parts are followed in."""
        for child in node.named_children:
            node_type = child.type
            is_leaf = node_type == "identifier" or self._array(child) is not None or binary_parts(child) is not None
            if is_leaf or node_type in ("call_expression", "conditional_expression", "cast_expression"):
                yield child
            elif node_type != "type_descriptor":
                yield from self._parts_inside(child)

    def _helper(self, name: str) -> Function | None:
        tree = self._frames[-1].tree
        for place in (tree, tree.program):
            found = [f for f in functions(place) if f.name == name.split("::")[-1] and not f.is_kernel]
            if found:
                return found[0] if len(found) == 1 and len(self._frames) < _MOST_CALLS else None
        return None

    def _concerns_helper(self, given: Sequence[Node], threads: Sequence[int]) -> bool:
        frame = self._frames[-1]
        are_parts = any(part is not None for each in given if node_text(each) not in frame.arrays for part in self._of(each, threads))
        return are_parts or any(self._elements.get(frame.arrays.get(node_text(each), "")) for each in given)

    def _inside(self, helper: Function, call: Node, given: Sequence[Node], threads: Sequence[int]) -> list[Value]:
        """The helper's result, as all these threads run it."""
        outer = self._frames[-1]
        tree = outer.tree if helper in functions(outer.tree) else outer.tree.program
        if len(given) > len(helper.parameters) or any(p.is_reference and not p.is_const for p in helper.parameters):
            raise NotWholeError(call)
        numbers = [{k: v for k, v in each.items() if "." in k or k == "warpSize"} for each in outer.numbers]
        own = frozenset(locals_of(tree, helper.body)) | {p.name for p in helper.parameters}
        frame = Frame(tree, helper.body, scope_inside(tree, helper.body).fixed(), numbers, [{} for _ in numbers], {}, own)
        for parameter, argument in zip(helper.parameters, given, strict=False):
            name = node_text(unparenthesized(argument))
            if name in outer.arrays:
                frame.arrays[parameter.name] = outer.arrays[name]
                continue
            for thread, part in zip(threads, self._of(argument, threads), strict=True):
                number = self._number(argument, thread)
                if number is not None:
                    frame.numbers[thread][parameter.name] = number
                if part is not None:
                    frame.values[thread][parameter.name] = part
        frame.arrays |= {name: f"{helper.name}::{name}" for name in shared_names(tree, helper.body)}
        self._frames.append(frame)
        self._run(helper.body, threads)
        self._frames.pop()
        found = [frame.returned.get(thread) for thread in threads]
        if len(threads) == self._groups.count and all(part is not None and self._groups.is_whole(part) for part in found):
            self.total_calls.add(call.id)
        return found

    def _called(self, call: Node) -> str:
        return callee_name(self._frames[-1].tree, call)

    def _array(self, node: Node) -> str | None:
        """The shared array or variable that an expression is an element of."""
        frame, node = self._frames[-1], unparenthesized(node)
        if node.type == "identifier":
            return frame.arrays.get(node_text(node))
        while node.type == "subscript_expression" and (inner := node.child_by_field_name("argument")) is not None:
            node = unparenthesized(inner)
        return frame.arrays.get(node_text(node)) if node.type == "identifier" else None

    def _place(self, node: Node, thread: int) -> tuple[int, ...] | None:
        found = [self._number(index, thread) for index in subscripts_of(unparenthesized(node))]
        return None if None in found else tuple(index for index in found if index is not None)

    def _number(self, node: Node, thread: int) -> int | None:
        frame = self._frames[-1]
        return evaluate(node, frame.scope, frame.numbers[thread])


def shared_names(tree: SyntaxTree, body: Node) -> frozenset[str]:
    """Shared arrays and variables that a body declares."""
    return frozenset(name for name, found in locals_of(tree, body).items() if any(v.is_shared for v in found))


def _kind_of_shuffle(name: str) -> str:
    return next((kind for kind in ("_down", "_xor", "_up") if kind in name), "")
