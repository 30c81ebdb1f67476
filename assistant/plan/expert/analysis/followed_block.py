"""Follows what the threads of a block do with one shared array, statement by statement, to see whose values each element ends with.

Each thread brings one value. What is made of the values of several neighbouring threads is a ``Run`` of them; two runs that meet are put
together, everything else is not understood. Two threads that touch one element without a barrier between them end it, too.

Example::

    block = FollowedBlock(context, array, Dim3(256), Combination.SUM, {})
    block.fill(target, value)           # `a[t] = v;`: the element of thread 5 holds the run (5, 6)
    block.follow(loop)                  # NotFollowedError, or
    block.elements[(5,)]                # (0, 6): the sum of the first six threads' values
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.cuda.accesses import canonical
from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import SharedArray
from assistant.cuda.syntax import Node, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.analysis.compound_assignments import COMPOUND
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["NOTHING", "FollowedBlock", "NotFollowedError", "Run", "subscripts_of"]

Run = tuple[int, int]
"""The first thread whose value is in it, and the first one behind it whose value is not."""
Threads = Sequence[int]
NOTHING: Run = (0, 0)
"""Of no thread: the zero of a sum."""
_MOST_ROUNDS = 11
"""Doubling up to 1,024 threads takes ten."""
_IDENTITIES = {Combination.SUM: 0, Combination.PRODUCT: 1}
_SIGNS = {Combination.SUM: "+", Combination.PRODUCT: "*"}
_CALLS = {
    Combination.MAXIMUM: frozenset({"max", "fmax", "fmaxf", "std::max"}),
    Combination.MINIMUM: frozenset({"min", "fmin", "fminf", "std::min"}),
}


class NotFollowedError(Exception):
    """The statement does something that is not understood, or that threads race in."""


class FollowedBlock:
    """Numbers and values of every thread, and the elements of the array."""

    def __init__(
        self, context: TransformationContext, array: SharedArray, block: Dim3, combination: Combination, given: Mapping[str, int]
    ) -> None:
        """``given``: parameters whose value is known."""
        self._tree, self._array, self._combination = context.tree, array, combination
        self._kind = plain_type(context.tree, array.element_type)
        named = locals_of(context.tree, context.body).items()
        self._kinds = {name: {plain_type(context.tree, variable.type) for variable in found} for name, found in named}
        self._scope: Scope = scope_of(context.tree, context.kernel).fixed()
        sizes = {**given, **flat_sizes(context, block)}
        self._numbers: list[dict[str, int]] = [{**sizes, "threadIdx.x": thread} for thread in range(block.x)]
        self._values: list[dict[str, Run]] = [{} for _ in range(block.x)]
        self.elements: dict[tuple[int, ...], Run] = {}
        self._writers: dict[tuple[int, ...], int] = {}
        self._readers: dict[tuple[int, ...], set[int]] = {}
        """Who touched an element since the last barrier."""
        self._extents = tuple(None if size is None else evaluate(size, self._scope, sizes) for size in array.sizes)
        self._known: dict[int, dict[tuple[int, ...], int | None]] = {}
        """By node, what expressions of locals come to for their values."""

    @property
    def everyone(self) -> Threads:
        return range(len(self._numbers))

    def declare(self, declaration: Node) -> None:
        """Integers that a declaration gives values to; of others nothing is known."""
        for variable in declared_variables(self._tree, declaration):
            self._set(self.everyone, variable.name, variable.value)

    def forget(self, names: frozenset[str]) -> None:
        """Nothing is known of these from here on."""
        for thread in self.everyone:
            for name in names:
                self._numbers[thread].pop(name, None)
                self._values[thread].pop(name, None)

    def fill(self, target: Node, value: Node) -> None:
        """Each thread stores its value in an element, and goes on to have it where that is a local."""
        name = self._tree.text(value)
        self._store(self.everyone, target, [(thread, thread + 1) for thread in self.everyone])
        for thread in self.everyone if value.type == "identifier" and self._kinds.get(name) == {self._kind} else ():
            self._values[thread][name] = (thread, thread + 1)

    def held(self, name: str) -> list[Run | None]:
        """What each thread has in a local."""
        return [values.get(name) for values in self._values]

    def follow(self, statement: Node) -> None:
        """All threads run the statement. Raises NotFollowedError."""
        self._run(statement, self.everyone)

    def numbers(self, node: Node, threads: Threads) -> list[int | None]:
        """What an expression comes to for each of the threads; None where that is not known."""
        names = {self._tree.text(name) for name in self._tree.find("identifier", inside=node)}
        is_plain = not any(self._tree.find("field_expression", "call_expression", "subscript_expression", inside=node))
        known, found = self._known.setdefault(node.id, {}), list[int | None]()
        for thread in threads:
            numbers = self._numbers[thread]
            key = tuple(numbers[name] for name in names if name in numbers)
            if not is_plain or len(key) < len(names - self._scope.constants.keys()):
                found.append(evaluate(node, self._scope, numbers))
                continue
            if key not in known:
                known[key] = evaluate(node, self._scope, numbers)
            found.append(known[key])
        return found

    def places(self, element: Node, threads: Threads) -> list[tuple[int, ...] | None]:
        """Which element the subscripts name for each of the threads; None where that is not known."""
        indices = zip(*(self.numbers(index, threads) for index in subscripts_of(element)), strict=True)
        return [None if None in each else tuple(index for index in each if index is not None) for each in indices]

    def _run(self, node: Node, threads: Threads) -> None:
        match node.type:
            case "comment":
                pass
            case "compound_statement":
                for each in without_comments(node):
                    self._run(each, threads)
            case "declaration":
                for variable in declared_variables(self._tree, node):
                    if variable.is_array or variable.is_pointer or variable.is_shared or variable.is_reference:
                        raise NotFollowedError
                    self._set(threads, variable.name, variable.value)
            case "expression_statement":
                for each in without_comments(node):
                    self._do(each, threads)
            case "if_statement":
                self._branch(node, threads)
            case "for_statement" | "while_statement":
                self._loop(node, threads)
            case _:
                raise NotFollowedError

    def _branch(self, node: Node, threads: Threads) -> None:
        then, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if then is None:
            raise NotFollowedError
        those, others = self._parted(condition_of(node), threads)
        self._run(then, those)
        if otherwise is not None:
            for each in without_comments(otherwise) if otherwise.type == "else_clause" else (otherwise,):
                self._run(each, others)

    def _parted(self, condition: Node | None, threads: Threads) -> tuple[list[int], list[int]]:
        """The threads for which the condition holds, and the others."""
        answers = [None] if condition is None else self.numbers(condition, threads)
        if None in answers:
            raise NotFollowedError
        pairs = list(zip(threads, answers, strict=True))
        return [thread for thread, answer in pairs if answer], [thread for thread, answer in pairs if not answer]

    def _loop(self, node: Node, threads: Threads) -> None:
        start, update, body = (node.child_by_field_name(field) for field in ("initializer", "update", "body"))
        if body is None:
            raise NotFollowedError
        if start is not None:
            self._run(start, threads) if start.type == "declaration" else self._do(start, threads)
        for _ in range(_MOST_ROUNDS + 1):
            going, leaving = self._parted(condition_of(node), threads)
            if not going:
                return
            if leaving:
                raise NotFollowedError
            self._run(body, threads)
            if update is not None:
                self._do(update, threads)
        raise NotFollowedError

    def _do(self, node: Node, threads: Threads) -> None:
        node = unparenthesized(node)
        if canonical(self._tree, node) == "__syncthreads ( )":
            if len(threads) != len(self._numbers):
                raise NotFollowedError
            self._writers.clear()
            self._readers.clear()
        elif node.type == "comma_expression":
            for each in node.named_children:
                self._do(each, threads)
        elif node.type == "assignment_expression":
            self._assign(node, threads)
        else:
            raise NotFollowedError

    def _assign(self, node: Node, threads: Threads) -> None:
        target, value, operator = (node.child_by_field_name(field) for field in ("left", "right", "operator"))
        sign = "" if operator is None else self._tree.text(operator)
        if target is None or value is None:
            raise NotFollowedError
        if target.type == "subscript_expression":
            self._store(threads, target, self._of(threads, value) if sign == "=" else self._joined(threads, sign, target, value))
        elif target.type != "identifier":
            raise NotFollowedError
        elif sign == "=":
            self._set(threads, self._tree.text(target), value)
        else:
            self._step(threads, target, sign, value)

    def _step(self, threads: Threads, target: Node, sign: str, value: Node) -> None:
        """``d *= 2``, or ``sum += a[t - d]``."""
        name, step = self._tree.text(target), COMPOUND.get(sign)
        is_held = any(name in self._values[thread] for thread in threads)
        runs = self._joined(threads, sign, target, value) if is_held and sign == f"{_SIGNS.get(self._combination)}=" else None
        others = self.numbers(value, threads)
        for place, thread in enumerate(threads):
            number, other = self._numbers[thread].get(name), others[place]
            after = None if step is None or number is None or other is None else step(number, other)
            self._keep(thread, name, after, None if runs is None else runs[place])

    def _joined(self, threads: Threads, sign: str, target: Node, value: Node) -> list[Run]:
        if sign != f"{_SIGNS.get(self._combination)}=":
            raise NotFollowedError
        return self._both(threads, (target, value))

    def _set(self, threads: Threads, name: str, value: Node | None) -> None:
        numbers = [None] * len(threads) if value is None else self.numbers(value, threads)
        runs = self._of_or_none(threads, value) if value is not None and self._kinds.get(name) == {self._kind} else None
        for place, thread in enumerate(threads):
            self._keep(thread, name, numbers[place], None if runs is None else runs[place])

    def _keep(self, thread: int, name: str, number: int | None, run: Run | None) -> None:
        self._numbers[thread].pop(name, None)
        self._values[thread].pop(name, None)
        if number is not None:
            self._numbers[thread][name] = number
        if run is not None:
            self._values[thread][name] = run

    def _of_or_none(self, threads: Threads, node: Node) -> list[Run] | None:
        """None where the expression is about other things than the array."""
        try:
            return self._of(threads, node)
        except NotFollowedError:
            if mentions(self._tree, node, self._array.name):
                raise
            return None

    def _of(self, threads: Threads, node: Node) -> list[Run]:
        """What each of the threads makes of the block's values."""
        node = unparenthesized(node)
        identity, parts = _IDENTITIES.get(self._combination), binary_parts(node)
        if node.type == "subscript_expression":
            return self._load(threads, node)
        if identity is not None and is_literal_of(self._tree.text(node), identity):
            return [NOTHING] * len(threads)
        if node.type == "identifier":
            found = [self._values[thread].get(self._tree.text(node)) for thread in threads]
            if None in found:
                raise NotFollowedError
            return [run for run in found if run is not None]
        if node.type == "conditional_expression":
            return self._chosen(threads, node)
        if node.type == "call_expression" and callee_name(self._tree, node) in _CALLS.get(self._combination, ()):
            return self._both(threads, given_arguments(node))
        if parts is not None and parts[0] == _SIGNS.get(self._combination):
            return self._both(threads, parts[1:])
        raise NotFollowedError

    def _chosen(self, threads: Threads, node: Node) -> list[Run]:
        condition, then, otherwise = (node.child_by_field_name(field) for field in ("condition", "consequence", "alternative"))
        those, others = self._parted(condition, threads)
        if then is None or otherwise is None:
            raise NotFollowedError
        runs = dict(zip(those, self._of(those, then), strict=True)) | dict(zip(others, self._of(others, otherwise), strict=True))
        return [runs[thread] for thread in threads]

    def _both(self, threads: Threads, sides: tuple[Node, ...]) -> list[Run]:
        if len(sides) != 2:
            raise NotFollowedError
        return [self._together(*pair) for pair in zip(*(self._of(threads, side) for side in sides), strict=True)]

    def _together(self, first: Run, second: Run) -> Run:
        if NOTHING in (first, second):
            return second if first == NOTHING else first
        low, high = sorted((first, second))
        may_overlap = self._combination in (Combination.MAXIMUM, Combination.MINIMUM)
        if low[1] != high[0] and not (may_overlap and high[0] <= low[1]):
            raise NotFollowedError
        return low[0], max(low[1], high[1])

    def _load(self, threads: Threads, element: Node) -> list[Run]:
        places = self._checked_places(threads, element)
        for thread, place in zip(threads, places, strict=True):
            if self._writers.get(place, thread) != thread or place not in self.elements:
                raise NotFollowedError
            self._readers.setdefault(place, set()).add(thread)
        return [self.elements[place] for place in places]

    def _store(self, threads: Threads, element: Node, values: list[Run]) -> None:
        places = self._checked_places(threads, element)
        for thread, place, value in zip(threads, places, values, strict=True):
            if self._writers.get(place, thread) != thread or not self._readers.get(place, set()) <= {thread}:
                raise NotFollowedError
            self._writers[place] = thread
            self.elements[place] = value

    def _checked_places(self, threads: Threads, element: Node) -> list[tuple[int, ...]]:
        base = element
        while base.type == "subscript_expression" and (inner := base.child_by_field_name("argument")) is not None:
            base = inner
        if self._tree.text(base) != self._array.name or len(subscripts_of(element)) != len(self._extents):
            raise NotFollowedError
        found = [place for place in self.places(element, threads) if place is not None]
        if len(found) != len(threads) or not all(self._is_within(place) for place in found):
            raise NotFollowedError
        return found

    def _is_within(self, place: tuple[int, ...]) -> bool:
        return all(index >= 0 and (extent is None or index < extent) for index, extent in zip(place, self._extents, strict=True))


def subscripts_of(element: Node) -> tuple[Node, ...]:
    """``i`` and ``j`` of ``a[i][j]``."""
    found: list[Node] = []
    while element.type == "subscript_expression":
        base, inside = element.child_by_field_name("argument"), element.child_by_field_name("indices")
        found[:0] = () if inside is None else without_comments(inside)
        if base is None:
            break
        element = base
    return tuple(found)
