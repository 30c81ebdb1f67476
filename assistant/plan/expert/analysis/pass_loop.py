"""Host loops that do nothing but launch a kernel once for each pass, with another number each time: 1, 2, 4, …, or n / 2, n / 4, ….

Example::

    for (unsigned half = 1; half < n; half *= 2) butterfly<<<blocks, 256>>>(w, half, pairs);
    # pass_loop(context): variable 'half', step Step.DOUBLES, given {'half': the argument's node}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.branches import condition_of
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, launch_of
from assistant.cuda.names import mentions, names_in, words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Kernel, LaunchSite
from assistant.plan.expert.analysis.error_checks import only_asks
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["PassLoop", "Step", "pass_loop", "passes_line"]

_COMPARED = ("<", "<=", ">", ">=", "!=")


class Step(StrEnum):
    """What the loop does to its variable."""

    DOUBLES = "doubles"
    HALVES = "halves"
    COUNTS_UP = "counts up"
    COUNTS_DOWN = "counts down"

    @property
    def grows(self) -> bool:
        return self in (Step.DOUBLES, Step.COUNTS_UP)

    @property
    def is_geometric(self) -> bool:
        return self in (Step.DOUBLES, Step.HALVES)


class PassLoop(Record):
    """The only launch of the kernel, and the ``for`` around it."""

    launch: Launch
    caller: Function
    loop: Node
    statement: Node
    """The launch, with its semicolon."""
    checks: tuple[Node, ...]
    """Statements after it, which look for errors alone."""
    variable: str
    type: str
    """Of the variable, as the host declares it."""
    start: Node
    condition: Node
    update: Node
    step: Step
    given: Mapping[str, Node]
    """The arguments that differ from pass to pass, by the kernel's parameters."""

    @property
    def direct(self) -> str | None:
        """The parameter that is the variable itself; None where all that the kernel gets is made of it."""
        names = (name for name, node in self.given.items() if node_text(unparenthesized(node)) == self.variable)
        return next(names, None)

    def passed(self, value: int) -> Mapping[str, int] | None:
        """What the kernel gets for its parameters where the variable has a value; None where that is not known."""
        found = {name: evaluate(node, self.launch.scope, {self.variable: value}) for name, node in self.given.items()}
        known = {name: each for name, each in found.items() if each is not None}
        return known if len(known) == len(found) else None


def pass_loop(context: TransformationContext) -> PassLoop | Obstacle | None:
    """The loop, or why it cannot be changed; None where nothing launches the kernel pass by pass. The context is `of_program`."""
    tree, sites = context.tree, context.parsed.launch_sites_of(context.kernel)
    found = [_around(tree, site.span.start) for site in sites]
    if not any(found):
        return None
    launch = launch_of(tree, sites[0])
    if len(sites) != 1 or launch is None or found[0] is None or declared_shapes(context):
        words = f"{context.kernel.name} would have to be launched in one place alone, the loop over its passes"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    return _read(context, launch, *found[0])


def passes_line(tree: SyntaxTree, kernel: Kernel, sites: Sequence[LaunchSite]) -> int:
    """The line of a kernel's only launch, where a loop doubles or halves what it passes, or passes the k of a ``1 << k``; else 0."""
    found = _around(tree, sites[0].span.start) if len(sites) == 1 else None
    if found is None:
        return 0
    _, variable, step = found
    body = tree.source[kernel.body.start : kernel.body.end]
    passed = [(p.name, a.text) for p, a in zip(kernel.parameters, sites[0].arguments, strict=False) if variable in words_in(a.text)]
    is_shift = any("<<" in text or re.search(rf"<<\s*{re.escape(name)}\b", body) for name, text in passed)
    return sites[0].line if passed and (step.is_geometric or is_shift) else 0


def _around(tree: SyntaxTree, offset: int) -> tuple[Node, str, Step] | None:
    """The loop around a launch, its variable, and what it does to it; None where no argument could follow that."""
    node = next((n for n in tree.find("kernel_call_syntax") if tree.span(n).start >= offset), None)
    loop = None if node is None else next((n for n in tree.ancestors(node) if n.type in ("for_statement", "while_statement")), None)
    update = None if loop is None else loop.child_by_field_name("update")
    stepped = None if update is None else _step(tree, update)
    return None if loop is None or stepped is None else (loop, *stepped)


def _step(tree: SyntaxTree, update: Node) -> tuple[str, Step] | None:
    changes = assignments(tree, update)
    if len(changes) != 1 or changes[0].target.type != "identifier" or changes[0].node != unparenthesized(update):
        return None
    name, text = tree.text(changes[0].target), "".join(tree.text(update).split())
    v = re.escape(name)
    forms = {
        Step.DOUBLES: rf"{v}(?:\*=2u?|<<=1u?|={v}\*2u?|=2u?\*{v}|={v}<<1u?|\+={v}|={v}\+{v})",
        Step.HALVES: rf"{v}(?:/=2u?|>>=1u?|={v}/2u?|={v}>>1u?)",
        Step.COUNTS_UP: rf"(?:\+\+{v}|{v}\+\+|{v}\+=1)",
        Step.COUNTS_DOWN: rf"(?:--{v}|{v}--|{v}-=1)",
    }
    step = next((step for step, form in forms.items() if re.fullmatch(form, text, re.IGNORECASE if name.islower() else 0)), None)
    return None if step is None else (name, step)


def _read(context: TransformationContext, launch: Launch, loop: Node, variable: str, step: Step) -> PassLoop | Obstacle | None:
    tree, kernel = context.tree, context.kernel.name
    body, start, condition = loop.child_by_field_name("body"), loop.child_by_field_name("initializer"), condition_of(loop)
    update, caller = loop.child_by_field_name("update"), enclosing_function(tree, loop)
    if body is None or start is None or condition is None or update is None or caller is None:
        return None
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    place = next((n for n, each in enumerate(statements) if tree.span(each).contains(launch.site.span)), None)
    changing = _following(tree, statements, variable)
    given = _given(context, launch, statements, changing)
    if not given:
        return None
    begun = _begun(tree, start, variable)
    before, after = statements[:place], () if place is None else statements[place + 1 :]
    is_plain = place is not None and _is_launch(tree, statements[place], launch)
    if begun is None or not is_plain or not _are_plain(tree, before, after):
        if not step.is_geometric:
            return None
        words = f"the loop over `{variable}` would have to do nothing but launch {kernel} and look for errors"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    assert place is not None, "it was found"
    kind, first = begun
    kind = kind or next((each.type for each in locals_of(tree, caller.body).get(variable, ())), "int")
    found = PassLoop(launch, caller, loop, statements[place], tuple(after), variable, kind, first, condition, update, step, given)
    unclear = _unclear(context, found, changing)
    return found if unclear is None else unclear if step.is_geometric else None


def _following(tree: SyntaxTree, statements: tuple[Node, ...], variable: str) -> frozenset[str]:
    """The variable, and locals of the loop's body that are made of it."""
    found = {variable}
    for statement in statements:
        if statement.type == "declaration":
            found |= {v.name for v in declared_variables(tree, statement) if v.value is not None and names_in(tree, v.value) & found}
    return frozenset(found)


def _given(context: TransformationContext, launch: Launch, statements: tuple[Node, ...], changing: frozenset[str]) -> dict[str, Node]:
    """The arguments that differ from pass to pass; what a local of the loop's body holds in the place of its name."""
    tree, found = context.tree, dict[str, Node]()
    declared = [v for s in statements if s.type == "declaration" for v in declared_variables(tree, s)]
    values = {variable.name: variable.value for variable in declared if variable.value is not None}
    for parameter, argument in zip(context.kernel.parameters, launch.site.arguments, strict=False):
        node = tree.node_at(argument.span)
        if node is not None and names_in(tree, node) & changing:
            found[parameter.name] = values.get(tree.text(node), node)
    return found


def _begun(tree: SyntaxTree, start: Node, variable: str) -> tuple[str, Node] | None:
    """The variable's type, empty where it is declared elsewhere, and what it starts with; None where the loop starts otherwise."""
    if start.type == "declaration":
        variables = tuple(declared_variables(tree, start))
        value = variables[0].value if len(variables) == 1 and variables[0].name == variable else None
        return None if value is None else (variables[0].type, value)
    node = start.named_children[0] if start.type == "expression_statement" and start.named_children else start
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    is_set = node.type == "assignment_expression" and left is not None and tree.text(left) == variable
    return ("", right) if is_set and right is not None else None


def _is_launch(tree: SyntaxTree, statement: Node, launch: Launch) -> bool:
    return statement.type == "expression_statement" and tree.span(statement.named_children[0]) == launch.site.span


def _are_plain(tree: SyntaxTree, before: tuple[Node, ...], after: tuple[Node, ...]) -> bool:
    """What stands before the launch only declares names, and what stands behind it only looks for errors."""
    effects = ("call_expression", "assignment_expression", "update_expression")
    declare = (each.type == "declaration" and next(tree.find(*effects, inside=each), None) is None for each in before)
    return all(declare) and all(only_asks(tree, each) for each in after)


def _unclear(context: TransformationContext, passes: PassLoop, changing: frozenset[str]) -> Obstacle | None:
    """Why the launches of a run of passes could not become one; ``changing``: host names that differ from pass to pass."""
    tree, site, variable = context.tree, passes.launch.site, passes.variable
    shape = [tree.node_at(each.span) for each in (site.grid, site.block, site.shared, site.stream) if each is not None]
    if any(names_in(tree, node) & changing for node in shape if node is not None):
        words = f"every pass would have to be launched with the same grid and block, whatever `{variable}` is"
        return Obstacle(DeclineReason.GRID_FORM, words)
    if len(site.arguments) != len(context.kernel.parameters):
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the launch of {context.kernel.name} would have to give every argument")
    condition = unparenthesized(passes.condition)
    compared = binary_parts(condition)
    is_compared = compared is not None and compared[0] in _COMPARED and tree.text(unparenthesized(compared[1])) == variable
    if not is_compared and (passes.step.grows or tree.text(condition) != variable):
        return Obstacle(DeclineReason.LOOP_FORM, f"the loop's condition would have to compare `{variable}` with a bound")
    span, start = tree.span(passes.loop), passes.loop.child_by_field_name("initializer")
    outside = [n for n in mentions(tree, passes.caller.body, variable) if not span.contains(tree.span(n))]
    if not passes.step.grows and start is not None and start.type != "declaration" and any(_is_read(tree, node) for node in outside):
        words = f"`{variable}` is used outside its loop, where it would have to have the value that the last pass leaves"
        return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    body = passes.loop.child_by_field_name("body")
    if body is not None and variable in changed_names(tree, body):
        return Obstacle(DeclineReason.LOOP_FORM, f"only the loop's head would have to change `{variable}`")
    return None


def _is_read(tree: SyntaxTree, node: Node) -> bool:
    """The variable's value is looked at, as against its declaration."""
    parent = node.parent
    return parent is not None and parent.type not in ("declaration", "init_declarator")
