"""Launches that an answer changes: expressions of grid, block, shared memory and arguments, put in the place of the present ones.

They run on the host, with the rights of the user who starts the program: only arithmetic over names is taken, and every change is host code
that a person is asked about. Where the text only declares a launch (a workload block), the block is changed, and that the real launch
follows is an assumption. Example::

    launched(parsed, kernel, [LaunchChange(line=29, block="dim3(32, 8)")], {})   # LaunchEdits(edits=(…,), labels=(Label.HOST_CODE,))
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from assistant.cuda.changes import shown_names
from assistant.cuda.reading import split_arguments
from assistant.model.plan import FileEdits
from assistant.model.source import Kernel, LaunchSite, ParsedSource, Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.workload_block import DeclaredShape, launched_with, shapes_in
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.schemas import LaunchChange
from assistant.record import Record

__all__ = ["LaunchEdits", "LaunchPlace", "changed_place", "declared_launches", "launched", "launches_elsewhere"]

_TOKEN = re.compile(r"\s+|[A-Za-z_]\w*|\d[\w.]*|::|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%().,<>?:&|\[\]]")
_EFFECT = re.compile(r"\+\+|--|<<<|>>>|<%|%>|[)\]]\s*\(|\b(?:new|delete|throw|operator|asm|typeid|co_await)\b")
"""What changes something, ends the launch, or calls a function that no name before the parenthesis shows."""
_ITEM = r'(?:\d{1,10}|"[\w\s+\-*/%(),.]{1,80}")'
_ITEMS = re.compile(rf"(?!.*(?:\*/|/\*))\s*\[?\s*(?P<items>{_ITEM}(?:\s*,\s*{_ITEM}){{0,2}})\s*\]?\s*", re.DOTALL)
"""One to three items of a declared grid or block: numbers, or expressions of the block's grammar as strings;
nothing that ends a comment."""
_ITEM_TEXT = re.compile(r"\"([^\"]*)\"")
_CALL = re.compile(r"([A-Za-z_][\w:]*)\s*(?:<[^<>()]*>\s*)?\(")
_CALLABLE = frozenset({"dim3", "sizeof", "min", "max", "std::min", "std::max", "static_cast", "int", "unsigned", "size_t"})
"""What any expression may call: nothing that has an effect."""
_SHAPE_DECLARED = re.compile(r"\bdim3\s+(?P<name>\w+)\s*[=({](?P<value>[^;]*);")
_INSTANCE = re.compile(r"(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*(?:\s*<[\w\s:,+*/-]*>)?")

LaunchPlace = tuple[str | None, int]
"""(another file as the prompt names it, line); None: the file that is shown."""


_SIZES = re.compile(r'\[\s*((?:"[^"\\]*"|\d+)(?:\s*,\s*(?:"[^"\\]*"|\d+)){0,2})\s*\]')
"""``["(n + 31) / 32", 4]``"""
_QUOTE = re.compile('"')
_MOST_SIZES = 3


class LaunchEdits(Record):
    """Changed launches as edits."""

    edits: tuple[TextEdit, ...] = ()
    labels: tuple[Label, ...] = ()
    assumptions: tuple[str, ...] = ()
    in_others: tuple[FileEdits, ...] = ()
    """Edits of launches in other files."""


def launches_elsewhere(parsed: ParsedSource, kernel: Kernel, launching: Iterable[ParsedSource]) -> dict[str, ParsedSource]:
    """The other files that launch the kernel, by the name that prompts and answers call them; none where the text declares its launch."""
    if declared_launches(parsed, kernel):
        return {}
    files = [file for file in launching if file.launch_sites_of(kernel)]
    names = shown_names([parsed.source.path, *(file.source.path for file in files)])
    return {names(file.source.path): file for file in files}


def launched(
    parsed: ParsedSource, kernel: Kernel, changes: Iterable[LaunchChange], elsewhere: Mapping[str, ParsedSource]
) -> LaunchEdits | UnusableAnswer:
    """The changes made; a refusal for a line without a launch of the kernel, or an expression that does more than count.

    ``elsewhere``: other files with launches, as ``launches_elsewhere`` has them.
    """
    files: dict[str | None, ParsedSource] = {None: parsed, **elsewhere}
    sites = {(name, site.line): site for name, file in files.items() for site in file.launch_sites_of(kernel)}
    if not sites:
        return _declared_anew(parsed, kernel, changes)
    edits: dict[str | None, list[TextEdit]] = {name: [] for name in files}
    for change in map(_with_sizes, changes):
        place = changed_place(parsed, kernel, change, elsewhere)
        if place not in sites:
            places = ", ".join(str(line) if name is None else f"{line} of {name}" for name, line in sites)
            return _unknown_launch(kernel, change, f"at line {places}")
        problem = _instance_problem(change) or _expression_problem(files[place[0]].source.text, sites[place], change)
        if problem is not None:
            return UnusableAnswer(Unusable.LAUNCH_EXPRESSION, f"the launch at line {change.line}: {problem}")
        edits[place[0]] += _site_edits(files[place[0]].source.text, sites[place], change)
    made = {name: _changing(file.source.text, edits[name]) for name, file in files.items()}
    others = sorted(FileEdits(file.source.path, made[name]) for name, file in elsewhere.items() if made[name])
    return LaunchEdits(made[None], (Label.HOST_CODE,) if any(made.values()) else (), in_others=tuple(others))


def _with_sizes(change: LaunchChange) -> LaunchChange:
    """With ``dim3(a, b)`` where sizes are listed in whichever brackets: ``(a, b)`` would be an operator that drops ``a``."""
    made = {name: _dim3(text) for name in ("grid", "block") if (text := getattr(change, name)) is not None}
    return change.model_copy(update=made)


def _dim3(expression: str) -> str:
    found = _SIZES.fullmatch(expression)
    if found is not None:
        return f"dim3({_QUOTE.sub('', found[1])})"
    text = expression.strip()
    sizes = split_arguments(text[1:-1]) if text[:1] + text[-1:] in ("()", "{}", "[]") else ()
    return f"dim3({', '.join(sizes)})" if 1 < len(sizes) <= _MOST_SIZES and all(sizes) else expression


def changed_place(parsed: ParsedSource, kernel: Kernel, change: LaunchChange, elsewhere: Mapping[str, ParsedSource]) -> LaunchPlace:
    """Which launch an answer means; where only one other file launches the kernel, its name may be left out.

    Models miscount lines: a line of a file with the kernel's only launch means that one, unless another kernel is launched there.
    """
    files: dict[str | None, ParsedSource] = {None: parsed, **elsewhere}
    is_own = change.file in (None, parsed.source.path.name)
    is_only_there = change.file is None and len(elsewhere) == 1 and not parsed.launch_sites_of(kernel)
    name = next(iter(elsewhere)) if is_only_there else None if is_own else change.file
    places = [(each, site.line) for each, file in files.items() for site in file.launch_sites_of(kernel)]
    is_meant = len(places) == 1 and places[0][0] == name and change.line not in {site.line for site in files[name].launch_sites}
    return places[0] if is_meant else (name, change.line)


def _declared_anew(parsed: ParsedSource, kernel: Kernel, changes: Iterable[LaunchChange]) -> LaunchEdits | UnusableAnswer:
    """The same for launches that workload blocks declare, or the line of a notebook's cell, by the line of their grid."""
    blocks = dict(declared_launches(parsed, kernel))
    edits, said = list[TextEdit](), list[str]()
    for change in changes:
        shape = blocks.get(change.line)
        if shape is None:
            where = f"declared at line {', '.join(map(str, blocks))}" if blocks else "not in this text: leave `launches` empty"
            return _unknown_launch(kernel, change, where)
        is_beyond = change.shared is not None and not shape.is_of_cell
        if is_beyond or change.arguments is not None or change.kernel is not None:
            return UnusableAnswer(Unusable.LAUNCH_EXPRESSION, "only grid and block of a declared launch can be changed")
        wishes = (("grid", shape.grid, change.grid), ("block", shape.block, change.block), ("shared", shape.shared, change.shared))
        for name, items, wanted in wishes:
            found = None if wanted is None else _ITEMS.fullmatch(wanted)
            if found is not None:
                edits.append(TextEdit(Span(items[0].span.start, items[-1].span.end), _written(shape, found["items"])))
                said.append(f"{name} [{found['items']}]")
            elif wanted is not None:
                reason = f'the {name} of a declared launch is a list such as ["ceil(n/32)", 4], not {wanted[:60]}'
                return UnusableAnswer(Unusable.LAUNCH_EXPRESSION, reason)
    made = _changing(parsed.source.text, edits)
    if not made or all(shape.is_of_cell for shape in blocks.values()):
        return LaunchEdits(made)
    return LaunchEdits(made, (Label.ASSUMPTION,), (launched_with(kernel, " and ".join(said)),))


def _written(shape: DeclaredShape, items: str) -> str:
    """Each text among the items as the place that it goes to takes it."""
    return _ITEM_TEXT.sub(lambda item: f'"{shape.written(item[1])}"', items)


def _unknown_launch(kernel: Kernel, change: LaunchChange, where: str) -> UnusableAnswer:
    reason = f"it changes a launch of {kernel.name} at line {change.line}, but its launches are {where}"
    return UnusableAnswer(Unusable.UNKNOWN_LAUNCH, reason)


def declared_launches(parsed: ParsedSource, kernel: Kernel) -> tuple[tuple[int, DeclaredShape], ...]:
    """(line of the grid, declared launch) of a kernel that the text itself does not launch; none whose shape was only guessed."""
    if parsed.launch_sites_of(kernel):
        return ()
    shapes = (shape for shape in shapes_in(parsed.source.text, kernel) if shape.grid and shape.block and not shape.is_guessed)
    return tuple((parsed.source.line_of(shape.grid[0].span.start), shape) for shape in shapes)


def _changing(text: str, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    return tuple(edit for edit in edits if text[edit.span.start : edit.span.end] != edit.new_text)


def _expression_problem(text: str, site: LaunchSite, change: LaunchChange) -> str | None:
    """What is wrong with an expression; one for the shape may call what the launch's shape calls, an argument what its arguments do."""
    shape = [expression.text for expression in (site.grid, site.block, site.shared) if expression is not None]
    declared = [match["value"] for match in _SHAPE_DECLARED.finditer(text) if match["name"] in shape]
    of_shape, of_arguments = _called([*shape, *declared]), _called(argument.text for argument in site.arguments)
    wanted = [
        *((expression, of_shape) for expression in (change.grid, change.block, change.shared)),
        *((expression, of_arguments) for expression in change.arguments or ()),
    ]
    problems = (_problem(expression, own) for expression, own in wanted if expression is not None)
    return next((problem for problem in problems if problem is not None), None)


def _called(expressions: Iterable[str]) -> frozenset[str]:
    """The functions that the expressions call by their names."""
    calls = (match for expression in expressions for match in _CALL.finditer(expression))
    return frozenset(match[1] for match in calls if not match.string[: match.start()].rstrip().endswith((".", "->")))


def _instance_problem(change: LaunchChange) -> str | None:
    if change.kernel is None or _INSTANCE.fullmatch(change.kernel):
        return None
    return f"`{change.kernel[:60]}` is no name of a kernel, nor an instance such as `sum<256>`"


def _problem(expression: str, own: Collection[str]) -> str | None:
    """Why the expression is not taken; None where it only computes, or calls what is its ``own``."""
    shown = f"`{expression[:60]}`"
    rest = _TOKEN.sub("", expression)
    if rest:
        return f"{shown} holds {rest[0]!r}, which is not part of an expression of names, numbers and operators"
    if expression.startswith("["):
        return f"{shown} is a list; write `dim3(…)`"
    effect = _EFFECT.search(expression)
    if effect is not None:
        return f"{shown} holds `{effect[0]}`, but it may only compute"
    called = next((match[1] for match in _CALL.finditer(expression) if match[1] not in _CALLABLE and match[1] not in own), None)
    if called is not None:
        return f"{shown} calls {called}; only {', '.join(sorted({*_CALLABLE, *own}))} may be called there"
    several = f"{shown} is not one expression (several sizes are written as `dim3(…)`), or its parentheses do not match"
    return None if _is_one(expression) else several


def _is_one(expression: str) -> bool:
    """Whether its brackets match, and no comma stands outside them."""
    depth = 0
    for character in expression:
        depth += (character in "([") - (character in ")]")
        if depth < 0 or (depth == 0 and character == ","):
            return False
    return depth == 0


def _site_edits(text: str, site: LaunchSite, change: LaunchChange) -> list[TextEdit]:
    edits = list[TextEdit]()
    if change.kernel is not None:
        edits.append(TextEdit(Span(site.span.start, text.rindex("<<<", site.span.start, site.grid.span.start)), change.kernel))
    if change.grid is not None:
        edits.append(TextEdit(site.grid.span, change.grid))
    block = site.block.text if change.block is None else change.block
    if change.shared is not None and site.shared is None:
        block = f"{block}, {change.shared}"
    elif change.shared is not None and site.shared is not None:
        edits.append(TextEdit(site.shared.span, change.shared))
    edits.append(TextEdit(site.block.span, block))
    if change.arguments is not None:
        edits.append(TextEdit(_arguments_span(site), ", ".join(change.arguments)))
    return edits


def _arguments_span(site: LaunchSite) -> Span:
    """From the first argument to the last; in front of the closing parenthesis where there is none."""
    if not site.arguments:
        return Span(site.span.end - 1, site.span.end - 1)
    return Span(site.arguments[0].span.start, site.arguments[-1].span.end)
