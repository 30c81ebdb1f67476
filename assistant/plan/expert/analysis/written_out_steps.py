"""Reductions of a block in shared memory whose steps are written out one after the other, with or without a loop for the first of them.

The steps are followed with the block's size, not matched: helpers, branches on constants and pointers to the array, volatile for the
last warp, are gone through. A reduction is understood where its first element has every thread's value once.

Example::

    if (t < 64) a[t] += a[t + 64];                    // of a block of 128
    __syncthreads();
    if (t < 32) warp_reduce(a, t);                    // v[t] += v[t + 32]; v[t] += v[t + 16]; …
    written_out_steps(context, Dim3(128))             # WrittenOutSteps(array='a', thread='t', combination=SUM, …)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assistant.cuda.accesses import canonical
from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import functions
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node, binary_parts, joined, node_text, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.block_steps import flat_sizes, step_counter, step_counts
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.thread_stores import is_for_first_thread, is_thread
from assistant.plan.expert.analysis.total_steps import TotalStep, begun_steps
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["WrittenOutSteps", "written_out_steps"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_WAITS = frozenset({"__syncthreads ( ) ;", "__syncwarp ( ) ;", "__threadfence_block ( ) ;", ";"})
_MOST_HELPERS = 2
"""Called by one another."""


class WrittenOutSteps(Record):
    """Such a reduction."""

    array: str
    thread: str
    """The thread's index in its block, as the steps spell it."""
    combination: Combination
    local: str | None
    """What goes along with the thread's element."""
    first: Node
    """The first of its statements, all of them of the kernel's body."""
    last: Node
    rest: Node | None
    """What the last statement does besides: an ``if`` of the first thread."""
    helpers: tuple[str, ...]
    """Device functions that did some of the steps."""


class _Names(Record):
    """What the names of a function mean."""

    arrays: Mapping[str, str]
    """The shared array behind a name."""
    threads: frozenset[str]
    """Parameters that hold the thread's index."""
    sizes: Mapping[str, int]
    depth: int = 0


def written_out_steps(context: TransformationContext, block: Dim3) -> WrittenOutSteps | None:
    """The reduction at the finding's line; None where there is none that makes one value of the whole block."""
    arrays = [array.name for array in shared_arrays(context.tree, context.body)]
    statements = [n for n in context.body.named_children if n.type != "comment"]
    for start in range(len(statements)):
        found = _from(context, block, arrays, statements[start:])
        if found is not None and context.tree.line(found.first) <= context.line <= found.last.end_point[0] + 1:
            return found
    return None


def _from(context: TransformationContext, block: Dim3, arrays: Collection[str], statements: Sequence[Node]) -> WrittenOutSteps | None:
    """A reduction that begins with the first of these statements."""
    walk = _Walk(context, block, arrays)
    last = None
    for statement in statements:
        before = len(walk.steps)
        if not walk.goes_through([statement], block.x, walk.names):
            break
        if last is None and len(walk.steps) == before and statement.type != "if_statement":
            return None
        is_wait = last is not None and canonical(context.tree, statement) in _WAITS
        last = statement if len(walk.steps) > before or is_wait else last
        if walk.rest is not None:
            break
    if last is None or len(walk.known) != 1 or len({*walk.steps}) < 2:
        return None
    array, combination, local, thread = next(iter(walk.known))
    alias = any(
        mentions(context.tree, context.body, name) and name != array and _is_used_behind(context, name, last)
        for name, of in walk.names.arrays.items()
        if of == array
    )
    if alias or not _is_whole(walk.steps, block):
        return None
    return WrittenOutSteps(array, thread, combination, local, statements[0], last, walk.rest, tuple(walk.helpers))


def _is_used_behind(context: TransformationContext, name: str, last: Node) -> bool:
    return any(n.start_byte >= last.end_byte for n in mentions(context.tree, context.body, name))


def _is_whole(steps: Sequence[tuple[int, int]], block: Dim3) -> bool:
    """(threads, distance) of each step: in the end the first element has that of every thread once."""
    held = [0]
    for limit, distance in reversed(steps):
        if limit > _LANES and distance < limit:
            return False  # warps would read what others store
        held += [element + distance for element in held if element < limit]
        if len(held) > block.x:
            return False
    return sorted(held) == list(range(block.x))


class _Walk:
    """Goes through statements, and keeps the steps that they make."""

    def __init__(self, context: TransformationContext, block: Dim3, arrays: Collection[str]) -> None:
        self._context, self._tree, self._block = context, context.tree, block
        self._scope = scope_of(context.tree, context.kernel).fixed()
        self.names = _Names({name: name for name in arrays}, frozenset(), flat_sizes(context, block))
        self.steps: list[tuple[int, int]] = []
        self.known: set[tuple[str, Combination, str | None, str]] = set()
        self.helpers: list[str] = []
        self.rest: Node | None = None

    def goes_through(self, statements: Sequence[Node], limit: int, names: _Names) -> bool:
        """False where one of the statements does anything else. ``limit``: how many threads run them."""
        left = [n for n in statements if n.type not in ("comment", "preproc_call")]
        while left:
            condition = left[0]  # what `begun_steps` keeps for its callers; how many threads step is known here
            step = next(begun_steps(self._tree, left, condition), None) if self.rest is None else None
            if step is not None and self._is_taken(step[0], limit, names):
                del left[: step[1]]
                continue
            if not self._goes_on(left[0], limit, names, is_last=len(left) == 1):
                return False
            names = self._with_alias(left[0], names)
            del left[0]
        return True

    def _is_taken(self, step: TotalStep, limit: int, names: _Names) -> bool:
        distance = self._distance(step.other, names)
        array = names.arrays.get(step.array)
        if array is None or distance is None or not self._is_thread(step.index, names) or (step.local is not None and names.depth):
            return False
        thread = node_text(unparenthesized(step.index))
        self.steps.append((limit, distance))
        if names.depth == 0 or not self.known:
            self.known.add((array, step.combination, step.local, thread))
            return True
        return any((array, step.combination) == each[:2] for each in self.known)

    def _goes_on(self, statement: Node, limit: int, names: _Names, *, is_last: bool) -> bool:
        if canonical(self._tree, statement) in _WAITS:
            return True
        if self.rest is not None:
            return False
        match statement.type:
            case "compound_statement":
                return self.goes_through(without_comments(statement), limit, names)
            case "if_statement":  # one that none gets past, as `if (blockSize >= 512)`, makes no step
                return self._branches(statement, limit, names) or (is_last and self._ends_with(statement, limit))
            case "for_statement" | "while_statement":
                return self._loops(statement, limit, names)
            case "expression_statement":
                return self._calls(statement, limit, names)
            case "declaration":
                return self._with_alias(statement, names) is not names
            case _:
                return False

    def _ends_with(self, statement: Node, limit: int) -> bool:
        """The first thread does something with the total, in the branch of the last warp."""
        is_first = limit < self._block.x and is_for_first_thread(self._context, condition_of(statement), self._block)
        if is_first and statement.child_by_field_name("alternative") is None and self.steps:
            self.rest = statement
        return self.rest is statement

    def _branches(self, statement: Node, limit: int, names: _Names) -> bool:
        condition, then = condition_of(statement), statement.child_by_field_name("consequence")
        if condition is None or then is None or statement.child_by_field_name("alternative") is not None:
            return False
        for each in joined(condition, "&&"):
            asked = self._asked(unparenthesized(each), names)
            if asked is None:
                return False
            limit = min(limit, asked)
        return limit <= 0 or self.goes_through([then], limit, names)

    def _asked(self, condition: Node, names: _Names) -> int | None:
        """How many threads get past it; None where that is not clear."""
        parts = binary_parts(condition)
        value = evaluate(condition, self._scope, names.sizes)
        if value is not None:
            return self._block.x if value else 0
        if parts is None or parts[0] not in ("<", "<=") or not self._is_thread(parts[1], names):
            return None
        bound = evaluate(parts[2], self._scope, names.sizes)
        return None if bound is None else bound + (parts[0] == "<=")

    def _loops(self, loop: Node, limit: int, names: _Names) -> bool:
        counter, body = step_counter(self._context, loop), loop.child_by_field_name("body")
        if counter is None or body is None or loop.type != "for_statement" or names.depth:
            return False
        counts = step_counts(self._context, counter, dict(names.sizes))
        inner = ({**names.sizes, counter.variable.name: count} for count in counts)
        return bool(counts) and all(self.goes_through([body], limit, _Names(names.arrays, names.threads, sizes)) for sizes in inner)

    def _calls(self, statement: Node, limit: int, names: _Names) -> bool:
        """A helper that makes some of the steps."""
        call = statement.named_children[0] if statement.named_children else None
        if call is None or call.type != "call_expression" or names.depth >= _MOST_HELPERS:
            return False
        name = callee_name(self._tree, call).split("::")[-1].partition("<")[0]
        named = [each for each in functions(self._tree) if each.name == name and each.is_device and not each.is_kernel]
        given = given_arguments(call)
        if len(named) != 1 or len(given) != len(named[0].parameters):
            return False
        pairs = list(zip(named[0].parameters, given, strict=True))
        arrays = {p.name: names.arrays[node_text(g)] for p, g in pairs if p.indirection == 1 and node_text(g) in names.arrays}
        threads = frozenset(p.name for p, g in pairs if p.indirection == 0 and self._is_thread(g, names))
        sizes = {**names.sizes, **self._template_values(call, named[0].template, names)}
        self.helpers.append(name)
        return self.goes_through(without_comments(named[0].body), limit, _Names(arrays, threads, sizes, names.depth + 1))

    def _template_values(self, call: Node, template: Node | None, names: _Names) -> dict[str, int]:
        """Of the helper's integer template parameters, where the call names them."""
        function = call.child_by_field_name("function")
        listed = None if function is None else function.child_by_field_name("arguments")
        given = () if listed is None else without_comments(listed)
        parameters = () if template is None else without_comments(template)
        values = [evaluate(node, self._scope, names.sizes) for node in given]
        spelled = [node_text(parameter).split()[-1] for parameter in parameters]
        return {name: value for name, value in zip(spelled, values, strict=False) if value is not None}

    def _with_alias(self, statement: Node, names: _Names) -> _Names:
        """``volatile float *v = a;`` gives the array another name."""
        variables = tuple(declared_variables(self._tree, statement)) if statement.type == "declaration" else ()
        only = variables[0] if len(variables) == 1 else None
        if only is None or only.value is None or only.indirection != 1 or node_text(only.value) not in names.arrays:
            return names
        arrays = {**names.arrays, only.name: names.arrays[node_text(only.value)]}
        if names.depth == 0 and statement.parent == self._context.body:
            self.names = _Names(arrays, names.threads, names.sizes)
        return _Names(arrays, names.threads, names.sizes, names.depth)

    def _is_thread(self, node: Node, names: _Names) -> bool:
        node = unparenthesized(node)
        return node_text(node) in names.threads if names.depth else is_thread(self._context, node, self._block)

    def _distance(self, other: Node, names: _Names) -> int | None:
        """``K`` of ``a[t + K]``."""
        parts = binary_parts(unparenthesized(other))
        if parts is None or parts[0] != "+":
            return None
        sides = [side for side in parts[1:] if not self._is_thread(side, names)]
        distance = evaluate(sides[0], self._scope, names.sizes) if len(sides) == 1 else None
        return distance if distance is not None and distance > 0 else None
