"""Host loops that count, and do nothing but launch a kernel once for each number: for each diagonal of a table, say.

The loop can be run here with numbers in the place of sizes, to see what each launch is given.

Example::

    for (int d = 2; d <= 2 * n; d++) { int cells = …; fill<<<(cells + 127) / 128, 128>>>(score, n, d); }
    # diagonal_loop(context): variable 'd', given {'d'}, roots ('n',)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.assignments import Assignment, assignments, changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import Launch, launch_of
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Kernel, LaunchSite
from assistant.plan.expert.analysis.crossed_tiles import crosses_tiles
from assistant.plan.expert.analysis.error_checks import only_asks
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["DiagonalLoop", "TrialLaunch", "diagonal_loop", "diagonals_line"]

_LOOPS = ("for_statement", "while_statement")
_MOST_TURNS = 1 << 26
"""Of a loop: more than the diagonals of any table."""
_NO_NUMBERS = ("subscript_expression", "call_expression", "field_expression", "pointer_expression")
_COUNTED = ("++", "--", "+=1", "-=1")


class TrialLaunch(Record):
    """What the kernel is launched with in one turn of the loop."""

    blocks: int
    threads: int
    """Of a block."""
    given: Mapping[str, int]
    """The kernel's integers by their names, as far as they are known."""
    is_skipped: bool
    """The loop goes on without it."""


class DiagonalLoop(Record):
    """The only launch of the kernel, and the loop around it."""

    launch: Launch
    caller: Function
    loop: Node
    statement: Node
    """The launch, with its semicolon."""
    checks: tuple[Node, ...]
    """Statements behind it, which look for errors alone."""
    variable: str
    declared: Node | None
    """The declaration of its variable above the loop, where it declares no other."""
    start: Node
    condition: Node
    step: int
    given: Mapping[str, Node]
    """The arguments that differ from turn to turn, by the kernel's parameters."""
    passed: Mapping[str, Node]
    """All arguments by the kernel's parameters."""
    skips: tuple[tuple[Node, bool], ...]
    """(condition, what it comes to where nothing is launched): of ``if (…) continue;`` before the launch, and of an ``if`` around it."""
    roots: tuple[str, ...]
    """Sizes that only a run knows, as the host calls them."""

    def direct(self, tree: SyntaxTree) -> str | None:
        """The parameter that is the variable itself."""
        return next((name for name, node in self.given.items() if tree.text(unparenthesized(node)) == self.variable), None)

    def turn_count(self, sizes: Mapping[str, int]) -> int | None:
        """How often the loop goes round with these values of `roots`; None where that is not known, or very often."""
        more = 1
        while (goes_on := self._goes_on(sizes, more)) and more < _MOST_TURNS:
            more *= 2
        if goes_on is None or goes_on:
            return None
        return bisect_left(range(more), True, key=lambda turn: not self._goes_on(sizes, turn))

    def may_be_empty(self) -> bool:
        """Where one of the sizes is 0, launches are still valid, or left out."""
        for root in self.roots:
            sizes = {**dict.fromkeys(self.roots, 3), root: 0}
            turns = [self.launched(sizes, turn) for turn in range(self.turn_count(sizes) or 0)]
            if turns and all(launch is not None and (launch.blocks > 0 or launch.is_skipped) for launch in turns):
                return True
        return False

    def _goes_on(self, sizes: Mapping[str, int], turn: int) -> int | None:
        start = evaluate(self.start, self.launch.scope, sizes)
        place = {**sizes, self.variable: 0 if start is None else start + turn * self.step}
        return None if start is None else evaluate(self.condition, self.launch.scope, place)

    def launched(self, sizes: Mapping[str, int], turn: int) -> TrialLaunch | None:
        """The launch of a turn, counted from 0; None where its shape is not known."""
        start = evaluate(self.start, self.launch.scope, sizes)
        if start is None:
            return None
        place = {**sizes, self.variable: start + turn * self.step}
        scope = self.launch.scope
        blocks, threads = ([evaluate(node, scope, place) for node in shape.components] for shape in (self.launch.grid, self.launch.block))
        asked = [(evaluate(node, scope, place), value) for node, value in self.skips]
        skipped = [None if found is None else bool(found) == value for found, value in asked]
        if (
            None in skipped
            or not blocks
            or not threads
            or blocks[0] is None
            or threads[0] is None
            or any(n != 1 for n in (*blocks[1:], *threads[1:]))
        ):
            return None
        values = {name: evaluate(node, scope, place) for name, node in self.passed.items()}
        given = {name: value for name, value in values.items() if value is not None}
        return TrialLaunch(0 if any(skipped) else blocks[0], threads[0], given, any(skipped))


def diagonal_loop(context: TransformationContext) -> DiagonalLoop | Obstacle | None:
    """The loop, or why it cannot be changed; None where nothing launches the kernel in this way. The context is `of_program`."""
    tree, sites = context.tree, context.parsed.launch_sites_of(context.kernel)
    loops = [_around(tree, site.span.start) for site in sites]
    if not any(loops):
        return None
    launch, loop = launch_of(tree, sites[0]), loops[0]
    if len(sites) != 1 or launch is None or loop is None or declared_shapes(context):
        words = f"{context.kernel.name} would have to be launched in one place alone, the loop over its diagonals"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    if len(launch.site.arguments) != len(context.kernel.parameters):
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the launch of {context.kernel.name} would have to give every argument")
    return _read(context, launch, loop)


def diagonals_line(tree: SyntaxTree, kernel: Kernel, sites: Sequence[LaunchSite]) -> int:
    """The line of a kernel's only launch, where a loop counts what it passes and the kernel takes a thread's index from that; else 0, and
    where a cell needs one that tiles would fill too late."""
    loop = _around(tree, sites[0].span.start) if len(sites) == 1 else None
    counted = None if loop is None else _counted(tree, loop)
    body = tree.node_at(kernel.body)
    if loop is None or counted is None or body is None:
        return 0
    statements = loop.child_by_field_name("body")
    changing = _following(tree, () if statements is None else without_comments(statements), counted[0])
    given = zip(kernel.parameters, sites[0].arguments, strict=False)
    passed = {
        p.name for p, a in given if not p.is_pointer and (node := tree.node_at(a.span)) is not None and names_in(tree, node) & changing
    }
    pairs = frozenset(_on_diagonals(tree, body, passed))
    return sites[0].line if pairs and not crosses_tiles(tree, kernel, body, pairs, counted[1]) else 0


def _on_diagonals(tree: SyntaxTree, body: Node, passed: set[str]) -> Iterator[tuple[str, str]]:
    """Two locals of which one is a number that is passed less the other, as ``j = d - i`` is."""
    names = locals_of(tree, body)
    for node in tree.find("binary_expression", inside=body):
        parts = binary_parts(node)
        if parts is None or parts[0] != "-" or any(tree.find(*_NO_NUMBERS, inside=node)):
            continue
        target = _set_to(tree, node)
        if target is not None and names_in(tree, parts[1]) & passed:
            yield from ((other, target) for other in names_in(tree, parts[2]) & names.keys())


def _set_to(tree: SyntaxTree, node: Node) -> str | None:
    """The local that is set to no more than it, up to what is added to it or taken away."""
    parent = node.parent
    while parent is not None and parent.type in ("parenthesized_expression", "binary_expression"):
        parts = binary_parts(parent)
        if parts is not None and parts[0] not in "+-":
            return None
        node, parent = parent, parent.parent
    if parent is None or parent.type not in ("init_declarator", "assignment_expression"):
        return None
    target = parent.child_by_field_name("left" if parent.type == "assignment_expression" else "declarator")
    return tree.text(target) if target is not None and target.type == "identifier" else None


def _around(tree: SyntaxTree, offset: int) -> Node | None:
    node = next((n for n in tree.find("kernel_call_syntax") if tree.span(n).start >= offset), None)
    loop = None if node is None else next((n for n in tree.ancestors(node) if n.type in (*_LOOPS, "do_statement")), None)
    return loop if loop is not None and loop.type in _LOOPS and _counted(tree, loop) is not None else None


def _counted(tree: SyntaxTree, loop: Node) -> tuple[str, int, Node] | None:
    """(variable, step, what steps it): the head of a ``for``, or the last statement of a ``while``."""
    update, body = loop.child_by_field_name("update"), loop.child_by_field_name("body")
    if loop.type == "while_statement":
        statements = () if body is None or body.type != "compound_statement" else without_comments(body)
        update = statements[-1] if statements and statements[-1].type == "expression_statement" else None
    changes = () if update is None else assignments(tree, update)
    if update is None or len(changes) != 1 or changes[0].target.type != "identifier":
        return None
    name, text = tree.text(changes[0].target), "".join(tree.text(update).split()).rstrip(";")
    step = text.removeprefix(name) if text.startswith(name) else text.removesuffix(name)
    if step in _COUNTED:
        return name, 1 if "+" in step else -1, update
    return (name, 1, update) if text == f"{name}={name}+1" else None


def _read(context: TransformationContext, launch: Launch, loop: Node) -> DiagonalLoop | Obstacle | None:
    tree, kernel = context.tree, context.kernel.name
    counted, body, condition, caller = (
        _counted(tree, loop),
        loop.child_by_field_name("body"),
        condition_of(loop),
        enclosing_function(tree, loop),
    )
    if counted is None or body is None or condition is None or caller is None:
        return None
    variable, step, update = counted
    statements = tuple(n for n in (without_comments(body) if body.type == "compound_statement" else (body,)) if n != update)
    passed = {p.name: n for p, a in zip(context.kernel.parameters, launch.site.arguments, strict=True) if (n := tree.node_at(a.span))}
    changing = _following(tree, statements, variable)
    given = {name: node for name, node in passed.items() if names_in(tree, node) & changing}
    place = next((n for n, each in enumerate(statements) if tree.span(each).contains(launch.site.span)), None)
    if not given or place is None:
        return None
    begun = _begun(tree, caller, loop, variable)
    statement, skips = _unwrapped(statements[place])
    before, after = tuple(each for each in statements[:place] if _skip(each) is None), statements[place + 1 :]
    skips += [(skip, True) for each in statements[:place] if (skip := _skip(each)) is not None]
    pointers = {parameter.name for parameter in context.kernel.parameters if parameter.is_pointer}
    stream = None if launch.site.stream is None else tree.node_at(launch.site.stream.span)
    if given.keys() & pointers or (stream is not None and names_in(tree, stream) & changing):
        words = f"every launch of {kernel} would have to be passed the same pointers, and be put in the same stream"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    if begun is None or not _is_launch(tree, statement, launch) or not _are_plain(tree, before, after):
        words = f"the loop over `{variable}` would have to do nothing but launch {kernel} and look for errors"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    declared, start = begun
    own = {name for each in before if (name := _assigned(tree, each)) and _is_set_for_the_loop(tree, caller, loop, each, name)}
    names = {tree.text(n) for n in tree.find("identifier", inside=loop)} - {variable, *own}
    outside = changed_names(tree, loop) & names
    if outside or _is_used_elsewhere(tree, caller, loop, declared, variable):
        words = f"`{min(outside) if outside else variable}` would have to be used in the loop over `{variable}` alone"
        return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    asked = (start, condition, *(node for node, _ in skips), *launch.grid.components, *launch.block.components, *_integers(context, passed))
    roots = dict.fromkeys(root for node in asked for root in _roots(tree, node, launch.scope, variable))
    return DiagonalLoop(
        launch, caller, loop, statement, after, variable, declared, start, condition, step, given, passed, tuple(skips), tuple(roots)
    )


def _following(tree: SyntaxTree, statements: Sequence[Node], variable: str) -> frozenset[str]:
    """The variable, and locals of the loop's body that are made of it."""
    found = {variable}
    for statement in statements:
        if statement.type == "declaration":
            found |= {v.name for v in declared_variables(tree, statement) if v.value is not None and names_in(tree, v.value) & found}
        name = _assigned(tree, statement)
        found |= {name} if name is not None and names_in(tree, statement) & found else set()
    return frozenset(found)


def _begun(tree: SyntaxTree, caller: Function, loop: Node, variable: str) -> tuple[Node | None, Node] | None:
    """(declaration above the loop, if it is the variable's alone; what the variable starts with); None where that is not clear."""
    start, declared = loop.child_by_field_name("initializer"), locals_of(tree, caller.body).get(variable, ())
    only = declared[0] if len(declared) == 1 and len(tuple(declared_variables(tree, declared[0].node))) == 1 else None
    if loop.type == "while_statement":
        is_here = only is not None and only.node.parent == loop.parent
        return None if only is None or only.value is None or not is_here else (only.node, only.value)
    if start is None:
        return None
    if start.type == "declaration":
        variables: tuple[Variable, ...] = tuple(declared_variables(tree, start))
        value = variables[0].value if len(variables) == 1 and variables[0].name == variable else None
        return None if value is None else (None, value)
    changes: tuple[Assignment, ...] = assignments(tree, start)
    only_change = changes[0] if len(changes) == 1 and changes[0].operator == "=" and tree.text(changes[0].target) == variable else None
    above = None if only is None or only.value is not None else only.node
    return None if only_change is None or only_change.value is None else (above, only_change.value)


def _is_launch(tree: SyntaxTree, statement: Node, launch: Launch) -> bool:
    return statement.type == "expression_statement" and tree.span(statement.named_children[0]) == launch.site.span


def _unwrapped(statement: Node) -> tuple[Node, list[tuple[Node, bool]]]:
    """The statement that an ``if`` stands around, with what keeps it from being run."""
    skips = list[tuple[Node, bool]]()
    while statement.type == "if_statement" and statement.child_by_field_name("alternative") is None:
        then, asked = statement.child_by_field_name("consequence"), condition_of(statement)
        only = None if then is None else lone_statement(then)
        if only is None or asked is None:
            break
        statement = only
        skips.append((asked, False))
    return statement, skips


def _skip(statement: Node) -> Node | None:
    """The condition of ``if (…) continue;``."""
    then = statement.child_by_field_name("consequence") if statement.type == "if_statement" else None
    only = None if then is None or statement.child_by_field_name("alternative") is not None else lone_statement(then)
    return condition_of(statement) if only is not None and only.type == "continue_statement" else None


def _are_plain(tree: SyntaxTree, before: Sequence[Node], after: Sequence[Node]) -> bool:
    """What stands before the launch only sets numbers, and what stands behind it only looks for errors."""
    changes = ("assignment_expression", "update_expression")
    declare = (each.type == "declaration" and next(tree.find(*changes, inside=each), None) is None for each in before)
    sets = (is_declared or _assigned(tree, each) is not None for is_declared, each in zip(declare, before, strict=True))
    return all(sets) and all(only_asks(tree, each) for each in after)


def _assigned(tree: SyntaxTree, statement: Node) -> str | None:
    """The variable that a plain assignment sets."""
    changes = assignments(tree, statement) if statement.type == "expression_statement" else ()
    only = next(iter(changes), None) if len(changes) == 1 else None
    is_plain = only is not None and only.operator == "=" and only.target.type == "identifier"
    return tree.text(only.target) if only is not None and is_plain else None


def _is_set_for_the_loop(tree: SyntaxTree, caller: Function, loop: Node, statement: Node, name: str) -> bool:
    """No turn of the loop finds what the one before it set, nor does anything behind the loop."""
    earlier = (n for n in mentions(tree, loop, name) if n.start_byte < statement.start_byte)
    return not any(earlier) and len(mentions(tree, statement, name)) == 1 and not _is_used_elsewhere(tree, caller, loop, None, name)


def _is_used_elsewhere(tree: SyntaxTree, caller: Function, loop: Node, declared: Node | None, variable: str) -> bool:
    """The variable is mentioned outside its loop, and is not that loop's own."""
    start = loop.child_by_field_name("initializer")
    if start is not None and start.type == "declaration":
        return False
    inside = [tree.span(node) for node in (loop, declared) if node is not None]
    outside = (n for n in mentions(tree, caller.body, variable) if not any(span.contains(tree.span(n)) for span in inside))
    return any(node.parent is not None and node.parent.type not in ("declaration", "init_declarator") for node in outside)


def _integers(context: TransformationContext, passed: Mapping[str, Node]) -> Iterator[Node]:
    """The arguments that may be whole numbers."""
    types = {p.name: p for p in context.kernel.parameters}
    for name, node in passed.items():
        if not types[name].is_pointer and not any(word in types[name].type for word in ("float", "double", "half", "bool")):
            yield node


def _roots(tree: SyntaxTree, node: Node, scope: Scope, variable: str, depth: int = 0) -> Iterator[str]:
    """What an expression is made of that the text does not decide."""
    for leaf in tree.find("identifier", "field_expression", "call_expression", inside=node):
        text = "".join(tree.text(leaf).split())
        if text == variable or depth > 8 or evaluate(leaf, scope, {variable: 3}) is not None or _is_named_by(leaf):
            continue
        if leaf.type == "call_expression":
            if evaluate(leaf, scope, _sevens(tree, leaf)) is None:
                yield text
            continue
        value = scope.definition(text) if leaf.type == "identifier" else None
        if value is not None and evaluate(value, scope, {**_sevens(tree, value), variable: 3}) is not None:
            yield from _roots(tree, value, scope, variable, depth + 1)
        else:
            yield text


def _sevens(tree: SyntaxTree, node: Node) -> dict[str, int]:
    leaves = tree.find("identifier", "field_expression", inside=node)
    return {"".join(tree.text(leaf).split()): 7 for leaf in leaves if not _is_named_by(leaf)}


def _is_named_by(leaf: Node) -> bool:
    """It is the function of a call, or part of a member that is a leaf itself."""
    parent = leaf.parent
    if parent is None:
        return False
    return parent.type in ("field_expression", "qualified_identifier", "subscript_expression") or (
        parent.type == "call_expression" and parent.child_by_field_name("function") == leaf
    )
