"""Follows what a block's threads do with their parts of a sum or maximum, to see that only what they have together is looked at.

Shuffles, shared memory, atomics and helpers such as `block_sum(value, buffer)` are run statement by statement for every thread, with the
set of threads whose parts a value holds in the value's place. A part may go into another part of the same combination; whatever else looks
at one has to see all threads that share the elements. Values that no part is in are left alone.

Example::

    block = FollowedTotals(context, Dim3(256), (SummingLoop(loop, {"sum": Combination.SUM}),), group=256, is_grid=False)
    block.follow()                 # NotWholeError where `out[threadIdx.x] = sum;`, nothing where `sum` went through a block's reduction
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import given_arguments
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.compound_assignments import COMPOUND
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.followed_values import FollowedValues, Frame, NotWholeError, shared_names
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.thread_parts import Groups, Part, Value, rounded_to
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["FollowedTotals", "NotWholeError", "SummingLoop"]

_MOST_ROUNDS = 1025
"""One thread may go through an element for each thread of the largest block."""
_ATOMICS = {"atomicAdd": Combination.SUM, "atomicMax": Combination.MAXIMUM, "atomicMin": Combination.MINIMUM}
_STEPS: Mapping[str, Callable[[int, int], int]] = {
    **COMPOUND,
    "++": lambda a, _: a + 1,
    "--": lambda a, _: a - 1,
}
_FLOATING = frozenset({"float", "double", "long double"})


class SummingLoop(Record):
    """A loop in which each thread adds up some of its group's elements."""

    loop: Node
    sums: Mapping[str, Combination]
    """Locals that it gives parts to."""


class FollowedTotals(FollowedValues):
    """Parts that every thread of a block has, in locals and in shared memory."""

    def __init__(self, context: TransformationContext, block: Dim3, loops: Sequence[SummingLoop], group: int, *, is_grid: bool) -> None:
        """``group``: neighbouring threads that share elements, a block's at most.

        ``is_grid``: all blocks share them, so that only atomics may look at what one block has.
        """
        self._loops = {each.loop.id: each for each in loops}
        self._context = context
        sizes = unknown_sizes(context) | {"warpSize": 32, "blockDim.x": block.x, "blockDim.y": block.y, "blockDim.z": block.z}
        places = [(t % block.x, t // block.x % block.y, t // (block.x * block.y)) for t in range(block.count)]
        blocks = {f"blockIdx.{axis}": 0 for axis in "xyz"} | {f"gridDim.{axis}": 4 for axis in "xyz"}
        numbers = [{**sizes, **blocks, "threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z} for x, y, z in places]
        scope, own = scope_of(context.tree, context.kernel).fixed(), frozenset(locals_of(context.tree, context.body))
        arrays = {name: name for name in shared_names(context.tree, context.body)}
        kernel = Frame(context.tree, context.body, scope, numbers, [{} for _ in numbers], arrays, own)
        super().__init__(Groups(block.count, group, is_grid), kernel)
        self.totals: dict[int, frozenset[str]] = {}
        """By loop, the locals in which every thread has its group's total when the loop begins."""

    def follow(self) -> None:
        """All threads run the kernel. Raises NotWholeError."""
        self._run(self._context.body, range(self._groups.count))

    def _run(self, node: Node, threads: Sequence[int]) -> None:
        frame = self._frames[-1]
        threads = [thread for thread in threads if thread not in frame.returned]
        if not threads or node.type in ("comment", "preproc_call", ";"):
            return
        if node.id in self._loops:
            self._begin(self._loops[node.id], threads)
            return
        if not self._is_concerned(node, threads):
            self._forget(node, threads)
            return
        match node.type:
            case "compound_statement":
                for each in without_comments(node):
                    self._run(each, threads)
            case "declaration":
                for variable in declared_variables(frame.tree, node):
                    if variable.value is not None and not variable.is_array:
                        self._set(threads, variable.name, variable.value, plain_type(frame.tree, variable.type))
            case "expression_statement":
                for each in without_comments(node):
                    self._do(each, threads)
            case "if_statement":
                self._branch(node, threads)
            case "for_statement" | "while_statement":
                self._loop(node, threads)
            case "return_statement":
                given = without_comments(node)
                found = self._of(given[0], threads) if given else [None] * len(threads)
                frame.returned.update(zip(threads, found, strict=True))
            case _:
                raise NotWholeError(node)

    def _begin(self, loop: SummingLoop, threads: Sequence[int]) -> None:
        """Behind the loop each thread has a part."""
        frame = self._frames[-1]
        named = frozenset(name for thread in threads for name in frame.values[thread])
        self.totals[loop.loop.id] = frozenset(name for name in named if all(self._has_total(name, thread) for thread in threads))
        for name, combination in loop.sums.items():
            kinds = {plain_type(frame.tree, v.type) for v in locals_of(frame.tree, frame.body).get(name, ())}
            for thread in threads:
                self._keep(thread, name, None, Part((loop.loop.id, name), combination, bool(kinds & _FLOATING), 1 << thread))

    def _has_total(self, name: str, thread: int) -> bool:
        part = self._frames[-1].values[thread].get(name)
        return part is not None and self._groups.is_whole(part)

    def _is_concerned(self, node: Node, threads: Sequence[int]) -> bool:
        """A part may be in what the statement names, or some threads leave by it, or a counter of a loop goes on."""
        if node.type in ("declaration", "expression_statement", "return_statement"):
            return True
        frame = self._frames[-1]
        names = names_in(frame.tree, node)
        is_held = any(names & frame.values[thread].keys() for thread in threads)
        is_stored = any(self._elements.get(frame.arrays[name]) for name in names & frame.arrays.keys())
        leaves = next(frame.tree.find("return_statement", inside=node), None) is not None
        return is_held or is_stored or leaves or self._holds_loops(node)

    def _holds_loops(self, node: Node) -> bool:
        return any(node.start_byte <= each.loop.start_byte < node.end_byte for each in self._loops.values()) and len(self._frames) == 1

    def _forget(self, node: Node, threads: Iterable[int]) -> None:
        """No part is in a statement, and what it changes has no known number any more."""
        frame = self._frames[-1]
        changed = {node_text(n) for n in frame.tree.find("identifier", inside=node)} - frame.arrays.keys()
        for thread in threads:
            for name in changed & frame.numbers[thread].keys() & frame.own:
                frame.numbers[thread].pop(name)

    def _branch(self, node: Node, threads: Sequence[int]) -> None:
        if self._is_replaced_total(node, threads):
            return
        then, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        those, others = self._parted(condition_of(node), threads, node)
        if then is not None:
            self._run(then, those)
        for each in () if otherwise is None else without_comments(otherwise):
            self._run(each, others)

    def _is_replaced_total(self, node: Node, threads: Sequence[int]) -> bool:
        """``if (total == 0.f) total = 1.f;``: all threads of a group do so or none, and have one value afterwards as before."""
        condition, then = condition_of(node), node.child_by_field_name("consequence")
        only = None if then is None or node.child_by_field_name("alternative") is not None else lone_statement(then)
        change = None if only is None or only.type != "expression_statement" else only.named_children[0]
        target, value = (None if change is None else change.child_by_field_name(side) for side in ("left", "right"))
        if change is None or target is None or value is None or condition is None or value.type != "number_literal":
            return False
        is_named = names_in(self._frames[-1].tree, condition) == frozenset((node_text(target),)) and "=" in {
            node_text(n) for n in change.children
        }
        is_all = len(threads) == self._groups.count
        return is_named and is_all and all(self._has_total(node_text(target), thread) for thread in threads)

    def _loop(self, node: Node, threads: Sequence[int]) -> None:
        start, update, body = (node.child_by_field_name(part) for part in ("initializer", "update", "body"))
        if body is None or next(self._frames[-1].tree.find("break_statement", "continue_statement", inside=body), None) is not None:
            raise NotWholeError(node)
        if start is not None:
            self._run(start, threads) if start.type == "declaration" else self._do(start, threads)
        if self._holds_loops(node):
            self._run(body, threads)  # one round of an outer loop is like the others
            return
        going = threads
        for _ in range(_MOST_ROUNDS):
            going, _left = self._parted(condition_of(node), going, node)
            if not going:
                return
            self._run(body, going)
            if update is not None:
                self._do(update, going)
        raise NotWholeError(node)

    def _do(self, node: Node, threads: Sequence[int]) -> None:
        node = unparenthesized(node)
        if node.type == "comma_expression":
            for each in node.named_children:
                self._do(each, threads)
        elif node.type in ("assignment_expression", "update_expression"):
            self._assign(node, threads)
        elif node.type == "call_expression" and self._called(node) in _ATOMICS:
            self._update(node, threads)
        else:
            found = self._of(node, threads)
            if any(part is not None and not self._groups.is_whole(part) for part in found):
                raise NotWholeError(node)

    def _assign(self, node: Node, threads: Sequence[int]) -> None:
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        value, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
        if target is None or operator is None:
            raise NotWholeError(node)
        sign, frame = node_text(operator), self._frames[-1]
        array = self._array(target)
        if array is not None and value is not None:
            found = self._of(value, threads) if sign == "=" else self._joined(sign, target, value, threads, node)
            self._store(array, target, found, threads)
        elif target.type == "identifier" and node_text(target) in frame.own:
            name = node_text(target)
            if sign == "=" and value is not None:
                kinds = {plain_type(frame.tree, v.type) for v in locals_of(frame.tree, frame.body).get(name, ())}
                self._set(threads, name, value, kinds.pop() if len(kinds) == 1 else "auto")
            else:
                found = [None] * len(threads) if value is None else self._joined(sign, target, value, threads, node)
                self._step(threads, name, sign, value, found)
        else:
            self._seen(node, threads)

    def _step(self, threads: Sequence[int], name: str, sign: str, value: Node | None, found: Sequence[Value]) -> None:
        step, numbers = _STEPS.get(sign), self._frames[-1].numbers
        others = [1 if value is None else self._number(value, thread) for thread in threads]
        for place, thread in enumerate(threads):
            number, other = numbers[thread].get(name), others[place]
            after = None if step is None or number is None or other is None else step(number, other)
            self._keep(thread, name, after, found[place])

    def _set(self, threads: Sequence[int], name: str, value: Node, kind: str) -> None:
        found = [rounded_to(part, kind) for part in self._of(value, threads)]
        numbers = [self._number(value, thread) for thread in threads]
        for place, thread in enumerate(threads):
            self._keep(thread, name, numbers[place], found[place])

    def _keep(self, thread: int, name: str, number: int | None, part: Value) -> None:
        frame = self._frames[-1]
        frame.numbers[thread].pop(name, None)
        frame.values[thread].pop(name, None)
        if number is not None:
            frame.numbers[thread][name] = number
        if part is not None:
            frame.values[thread][name] = part

    def _store(self, array: str, target: Node, found: Sequence[Value], threads: Sequence[int]) -> None:
        elements = self._elements.setdefault(array, {})
        for place, thread in enumerate(threads):
            at, part = self._place(target, thread), found[place]
            if at is None and (part is not None or elements):
                raise NotWholeError(target)
            if at is not None:
                elements.pop(at, None)
                if part is not None:
                    elements[at] = part

    def _update(self, call: Node, threads: Sequence[int]) -> None:
        """An atomic: what the threads that update an element add to it has to be all that belongs together, once."""
        given = given_arguments(call)
        if len(given) != 2:
            raise NotWholeError(call)
        self._seen(given[0], threads)
        found = self._of(given[1], threads)
        added: dict[tuple[tuple[int, str], int], int] = {}
        for place, thread in enumerate(threads):
            part = found[place]
            if part is None or (not self._groups.is_grid and self._groups.is_whole(part)):
                continue
            key = (part.of, thread // self._groups.group)
            if part.is_mixed or part.combination is not _ATOMICS[self._called(call)] or added.get(key, 0) & part.threads:
                raise NotWholeError(call)
            added[key] = added.get(key, 0) | part.threads
        if any(not self._is_same_place(given[0]) or mask != self._groups.mask_of(group) for (_, group), mask in added.items()):
            raise NotWholeError(call)

    def _is_same_place(self, address: Node) -> bool:
        """All threads that share elements name one element; of a grid all blocks do."""
        frame = self._frames[-1]
        names = {node_text(n) for n in frame.tree.find("field_expression", inside=address)}
        own = names_in(frame.tree, address) & locals_of(frame.tree, frame.body).keys()
        is_of_block = any(name.startswith("blockIdx") for name in names) and self._groups.is_grid
        return not own and not is_of_block and not any(name.startswith("threadIdx") for name in names)
