"""Kernels whose threads go round loops over a window of rows: convolutions, filters along columns, the largest value around an element.

A thread of several rows can load each row of the window once, and each weight once, for all of its rows. Example::

    match row_window(context):
        case RowWindow(row=row, loops=loops): ...   # `y` of `in[(y + dy) * w + x]`, and the loops over `dy` and `dx`
        case Obstacle(): ...                        # why the kernel has another form
        case None: ...                              # no loop adds its counter to the row
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.comparisons import OPPOSITE
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.chosen_loads import with_choices
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.nested_loops import FoundInLoops, WindowLoop, read_loops
from assistant.plan.expert.analysis.plane_result import row_of
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers
from assistant.plan.expert.analysis.row_sums import goes_over_rows, holds_row, loop_of_row, loops_in, sum_with
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["RowWindow", "WindowLoad", "row_window"]

_WHOLE_TYPES = frozenset({"int", "unsigned", "unsigned int", "long", "long long", "size_t", "short", "int64_t", "int32_t", "uint32_t"})

_SIGNED = frozenset({"int", "long", "long long", "int32_t", "int64_t", "ptrdiff_t", "short"})


class WindowLoad(Record):
    """An element of global memory that the loops load."""

    text: str
    base: str
    type: str
    nodes: tuple[Node, ...]


class RowWindow(Record):
    """The parts of such a kernel."""

    function: Function
    block: Dim3
    row: Variable
    place: str
    """The thread's place in the grid along y, as it is spelled."""
    guard: Node
    bound: str
    """What the row is less than."""
    outermost: Node
    """The loop that holds all others."""
    loops: tuple[WindowLoop, ...]
    """Over the window, that over its rows first."""
    stride: int
    """Rows of the window from one row of the result to the next."""
    parts: tuple[WindowLoop, ...]
    """Loops inside, through which the same element of the window is used again."""
    steady: tuple[Node, ...]
    """Declarations in the loops that are the same for all rows."""
    of_row: tuple[Node, ...]
    """Declarations in the loops that follow from the row."""
    of_loads: tuple[Node, ...]
    """Declarations in the loops of what was loaded."""
    conditions: tuple[str, ...]
    are_of_row: bool
    """Whether the row has a part in a condition."""
    statements: tuple[Node, ...]
    """What is done with an element: assignments to the sums."""
    window: tuple[WindowLoad, ...]
    weights: tuple[WindowLoad, ...]
    """Loads that are the same for all rows."""
    sums: tuple[Variable, ...]
    before: tuple[Node, ...]
    """Statements that give the sums their first value, declarations apart."""
    tail: tuple[Node, ...]
    """Statements behind the loops."""


def row_window(context: TransformationContext) -> RowWindow | Obstacle | None:
    """The kernel's parts, or why it has another form; None where no loop goes over neighbouring rows."""
    tree, body = context.tree, context.body
    function, block = enclosing_function(tree, body), fixed_block(context)
    if function is None or not goes_over_rows(tree, body):
        return None
    if isinstance(block, Obstacle):
        return block
    row = row_of(context, function, block)
    if isinstance(row, Obstacle):
        return row
    if row.offset:
        return Obstacle(DeclineReason.GUARD_FORM, f"`{row.variable.name}` would have to be the thread's place alone, with nothing added")
    guarded = _guarded(context, row.variable)
    if isinstance(guarded, Obstacle):
        return guarded
    guard, bound, scope = guarded
    name = row.variable.name
    loop = next((node for node in loops_in(tree, scope) if holds_row(tree, node, row.variable)), None)
    if loop is None:
        words = f"no loop counts what is added to the row, as in `in[({name} + d) * width + x]`"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    found = loop_of_row(tree, loop, name)
    if found is None:
        header = counted_header(tree, loop)
        counter = "" if header is None else header.variable
        line = next((tree.line(n) for n in mentions(tree, loop, name) if sum_with(tree, n, counter) is None), tree.line(loop))
        words = f"line {line} would have to use `{name}` and `{counter}` as their sum alone, as in `in[({name} + {counter}) * width + x]`"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    return _Reader(context, function, block, row.variable, row.place, guard, bound, scope, found).read()


def _guarded(context: TransformationContext, row: Variable) -> tuple[Node, str, tuple[Node, ...]] | Obstacle:
    """The bounds check, what the row is less than, and the statements that it lets run."""
    tree = context.tree
    outer = without_comments(context.body)
    guards = [n for n in outer if n.type == "if_statement" and mentions(tree, n.child_by_field_name("condition") or n, row.name)]
    branch = guards[0].child_by_field_name("consequence") if len(guards) == 1 else None
    asked = condition_of(guards[0]) if branch is not None else None
    if branch is None or asked is None or guards[0].child_by_field_name("alternative") is not None:
        return Obstacle(
            DeclineReason.NO_BOUNDS_CHECK, f"the kernel would have to compare `{row.name}` with its bound once, before its loops"
        )
    only = lone_statement(branch)
    is_around = only is None or only.type != "return_statement"
    of_row = [part for part in joined(asked, "&&" if is_around else "||") if mentions(tree, part, row.name)]
    parts = binary_parts(unparenthesized(of_row[0])) if len(of_row) == 1 else None
    is_bound = parts is not None and parts[0] == ("<" if is_around else ">=") and tree.text(parts[1]) == row.name
    if parts is None or not is_bound or names_in(tree, parts[2]) & changed_names(tree, context.body):
        return Obstacle(DeclineReason.GUARD_FORM, f"`{row.name}` is not compared with one upper bound alone before the loops")
    if is_around and (guards[0] != outer[-1] or branch.type != "compound_statement"):
        return Obstacle(DeclineReason.STORE_FORM, "the bounds check would have to hold all that follows it")
    scope = without_comments(branch) if is_around else outer[outer.index(guards[0]) + 1 :]
    before = outer[: outer.index(guards[0])]
    early = next((n for n in before if n != row.node and mentions(tree, n, row.name)), None)
    if early is not None:
        return Obstacle(DeclineReason.GUARD_FORM, f"line {tree.line(early)} uses the row before it is compared with its bound")
    return guards[0], tree.text(parts[2]), tuple(scope)


class _Kinds:
    """Declarations in the loops, and names that follow from the row, from its counter, or from what was loaded."""

    def __init__(self, row: str, counter: str) -> None:
        self.steady: list[Node] = []
        self.rows: list[Node] = []
        self.loads: list[Node] = []
        self.of_row, self.of_counter, self.of_loads = {row}, {counter}, set[str]()


class _Reader:
    def __init__(
        self, context: TransformationContext, function: Function, block: Dim3, row: Variable, place: str,
        guard: Node, bound: str, scope: tuple[Node, ...], found: tuple[Node, int],
    ) -> None:  # fmt: skip
        self._context, self._tree, self._function, self._block = context, context.tree, function, block
        self._row, self._place, self._guard, self._bound, self._scope = row, place, guard, bound, scope
        self._loop, self._stride = found
        self._found = FoundInLoops()

    def read(self) -> RowWindow | Obstacle:
        tree = self._tree
        at = next(i for i, n in enumerate(self._scope) if n.start_byte <= self._loop.start_byte < n.end_byte)
        outermost, tail = self._scope[at], self._scope[at + 1 :]
        if outermost.type not in LOOPS:
            return Obstacle(DeclineReason.CONDITIONAL, "a condition stands around the loops over the window")
        obstacle = next((e for n in (outermost, *tail) if (e := leaves_or_synchronizes(tree, n)) is not None), None)
        obstacle = obstacle or read_loops(tree, self._loop, self._found)
        if obstacle is not None:
            return obstacle
        found = self._found
        if hidden_names(tree, self._loop) & {self._row.name, *(loop.header.variable for loop in found.loops)}:
            return Obstacle(DeclineReason.HIDDEN_BY_MACRO, "a macro in the loops over the window holds the row or a counter")
        globals_ = global_pointers(tree, self._function, self._context.body)
        accesses = [a for a in array_accesses(tree, outermost) if a.base in globals_]
        stored = next((a for a in accesses if a.kind is not Use.READ), None)
        if stored is not None:
            return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(stored.node)} stores to `{stored.base}` inside the loops")
        inside = [a for a in accesses if self._loop.start_byte <= a.node.start_byte < self._loop.end_byte]
        own = with_choices(tree, self._function, inside)
        if isinstance(own, Obstacle):
            return own
        loads = [a.node for a in own]
        if any(n != m and m.start_byte <= n.start_byte < m.end_byte for n in loads for m in loads):
            return Obstacle(DeclineReason.ADDRESS_UNKNOWN, "an element of the window decides where another one is loaded")
        kinds = self._kinds(loads)
        window = [a for a in own if names_in(tree, a.node) & kinds.of_row]
        weights = [a for a in own if not names_in(tree, a.node) & kinds.of_row]
        if not window:
            return Obstacle(DeclineReason.NO_GAIN, "no element that the loops load follows from the row")
        obstacle = self._moved(kinds, loads, [a.node for a in window])
        if obstacle is not None:
            return obstacle
        first = found.loops[0].last - found.loops[0].count + 1
        if first < 0 and self._row.type not in _SIGNED:
            words = f"`{self._row.name}` would have to be a signed integer, as `{found.loops[0].header.variable}` starts at {first}"
            return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
        if self._stride > found.loops[0].count:
            return Obstacle(DeclineReason.NO_GAIN, "the windows of neighbouring rows have no row in common")
        sums = self._sums(outermost)
        if isinstance(sums, Obstacle):
            return sums
        before = self._before(outermost, self._scope[:at], sums)
        if isinstance(before, Obstacle):
            return before
        depths = [found.depth_of[d.id] for d in found.declarations] + [depth for _, _, depth in found.asked]
        indexed = [at + 1 for at, one in enumerate(found.loops) if any(one.header.variable in names_in(tree, a.node) for a in window)]
        deepest = max(1, *depths, *indexed)
        of_window, of_weights = _grouped(tree, self._function, window), _grouped(tree, self._function, weights)
        if isinstance(of_window, Obstacle):
            return of_window
        if isinstance(of_weights, Obstacle):
            return of_weights
        return RowWindow(
            function=self._function,
            block=self._block,
            row=self._row,
            place=self._place,
            guard=self._guard,
            bound=self._bound,
            outermost=outermost,
            loops=tuple(found.loops[:deepest]),
            stride=self._stride,
            parts=tuple(found.loops[deepest:]),
            steady=tuple(kinds.steady),
            of_row=tuple(kinds.rows),
            of_loads=tuple(kinds.loads),
            conditions=tuple(text for node, is_negated, _ in found.asked for text in self._conditions(node, is_negated)),
            are_of_row=any(names_in(tree, n) & kinds.of_row for n, _, _ in found.asked),
            statements=tuple(found.statements),
            window=of_window,
            weights=of_weights,
            sums=sums,
            before=before,
            tail=tail,
        )

    def _kinds(self, loads: list[Node]) -> _Kinds:
        tree, kinds = self._tree, _Kinds(self._row.name, self._found.loops[0].header.variable)
        for node in self._found.declarations:
            names, made = names_in(tree, node), {v.name for v in declared_variables(tree, node)}
            if names & kinds.of_loads or any(node.start_byte <= n.start_byte < node.end_byte for n in loads):
                kinds.loads.append(node)
                kinds.of_loads |= made
            elif names & kinds.of_row:
                kinds.rows.append(node)
                kinds.of_row |= made
            else:
                kinds.steady.append(node)
                kinds.of_counter |= made if names & kinds.of_counter else set()
        return kinds

    def _moved(self, kinds: _Kinds, loads: list[Node], window: list[Node]) -> Obstacle | None:
        """Why an element of the window and what is asked for it are not the same for a row and for its neighbours."""
        tree, asked = self._tree, [node for node, _, _ in self._found.asked]
        is_inside = any(a.start_byte <= n.start_byte < a.end_byte for a in asked for n in loads)
        if is_inside or any(names_in(tree, n) & kinds.of_loads for n in (*asked, *loads)):
            return Obstacle(DeclineReason.CONDITIONAL, "what was loaded decides what is loaded or added up")
        return next((e for n in (*asked, *window, *kinds.rows) if (e := self._apart(n, kinds.of_counter)) is not None), None)

    def _apart(self, node: Node, of_counter: set[str]) -> Obstacle | None:
        """Why what this is for a row and a tap is not what it is for the row below and the tap before."""
        tree, counter = self._tree, self._found.loops[0].header.variable
        sums = [sum_with(tree, mention, counter) for mention in mentions(tree, node, self._row.name)]
        counted = sorted(found[0] for found in sums if found is not None)
        is_alike = all(found is not None and found[1] == self._stride for found in sums)
        own = [n.start_byte for n in mentions(tree, node, counter)]
        if is_alike and counted == sorted(own) and not names_in(tree, node) & (of_counter - {counter}):
            return None
        words = f"line {tree.line(node)} would have to use `{self._row.name}` and `{counter}` as their sum alone"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)

    def _sums(self, outermost: Node) -> tuple[Variable, ...] | Obstacle:
        """The locals that the statements change; nothing else in the loops may look at them."""
        tree, found = self._tree, dict[str, Variable]()
        for statement in self._found.statements:
            for change in assignments(tree, statement):
                target = change.target
                base = target.child_by_field_name("argument") if target.type == "subscript_expression" else target
                name = "" if base is None else tree.text(base)
                known = locals_of(tree, self._context.body).get(name, ())
                if len(known) != 1 or known[0].is_pointer or known[0].is_reference or known[0].node.parent != self._outside():
                    return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(statement)} changes more than locals of the kernel")
                found[name] = known[0]
        if any(len(v.node.children_by_field_name("declarator")) != 1 or v.type == "auto" for v in found.values()):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, "a sum would have to have a declaration of its own, with its type")
        spans = [(s.start_byte, s.end_byte) for s in self._found.statements]
        for mention in (n for name in found for n in mentions(tree, outermost, name)):
            if not any(first <= mention.start_byte < last for first, last in spans):
                return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(mention)} looks at `{tree.text(mention)}` inside the loops")
        for mention in mentions(tree, outermost, self._row.name):
            if not self._loop.start_byte <= mention.start_byte < self._loop.end_byte:
                return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(mention)} uses the row between the loops")
        return tuple(found.values())

    def _conditions(self, node: Node, is_negated: bool) -> Iterator[str]:
        """What has to hold, one by one."""
        tree = self._tree
        for part in joined(node, "||" if is_negated else "&&"):
            text, parts = tree.text(part), binary_parts(unparenthesized(part))
            if not is_negated:
                yield f"({text})" if parts is not None and parts[0] == "||" else text
            elif parts is not None and parts[0] in OPPOSITE and self._is_whole(part):
                yield f"{tree.text(parts[1])} {OPPOSITE[parts[0]]} {tree.text(parts[2])}"
            else:
                yield f"!({text})"

    def _is_whole(self, node: Node) -> bool:
        """Numbers without a fraction: what is not less than another of them is not smaller."""
        known = locals_of(self._tree, self._context.body)
        parameters = {p.name: (p,) for p in self._function.parameters}
        types = {v.type for name in names_in(self._tree, node) for v in known.get(name) or parameters.get(name, ())}
        return types <= _WHOLE_TYPES

    def _outside(self) -> Node | None:
        return self._scope[0].parent if self._scope else None

    def _before(self, outermost: Node, statements: tuple[Node, ...], sums: tuple[Variable, ...]) -> tuple[Node, ...] | Obstacle:
        """Statements before the loops that are about the sums, without their declarations."""
        tree, found = self._tree, dict[int, Node]()
        earlier = [n for v in sums for n in mentions(tree, self._context.body, v.name) if n.end_byte <= outermost.start_byte]
        for mention in earlier:
            around = next((a for a in tree.ancestors(mention) if a.type in ("expression_statement", "declaration")), None)
            if around is None or (around.type == "declaration" and around not in [v.node for v in sums]):
                return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(mention)} uses a sum before the loops")
            if around.type == "expression_statement":
                found[around.start_byte] = around
        row = next((n for s in statements for n in mentions(tree, s, self._row.name)), None)
        if row is not None:
            return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(row)} uses the row before the loops")
        return tuple(found.values())


def _grouped(tree: SyntaxTree, function: Function, accesses: list[ArrayAccess]) -> tuple[WindowLoad, ...] | Obstacle:
    found: dict[str, list[ArrayAccess]] = {}
    for access in accesses:
        found.setdefault(tree.text(access.node), []).append(access)
    loads: list[WindowLoad] = []
    for text, alike in found.items():
        kind = element_type(tree, function, alike[0].base)
        if kind is None or kind == "auto":
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the text would have to name the type of the elements of `{alike[0].base}`")
        loads.append(WindowLoad(text, alike[0].base, kind, tuple(a.node for a in alike)))
    return tuple(loads)
