"""The text of a kernel that does the work of several for each index, and of its launch.

Knows nothing of whether that is right or pays; ``kernel_fusion`` decides that.

Example::

    fused_edits(context, parts)      # scale<<<g, b>>>(x, 2, n); shift<<<g, b>>>(x, 1, n); becomes scale_and_shift<<<g, b>>>(x, 2, n, 1);
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.cuda.comparisons import OPPOSITE_ORDER
from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name, words_in
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.launches_in_a_row import LaunchStatement
from assistant.plan.expert.analysis.thread_work import ThreadWork
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.helper_removal import removal
from assistant.plan.expert.writing.layout import comments_of, dedented, without_line
from assistant.plan.expert.writing.style import Style, style_of
from assistant.record import Record

__all__ = ["FusedPart", "fused_edits", "fused_name"]


class FusedPart(Record):
    """One of the kernels."""

    launch: LaunchStatement
    work: ThreadWork
    types: Mapping[str, str]
    """What its template parameters stand for."""


class _Parameter(Record):
    """One of the new kernel's."""

    name: str
    declared: str
    """With its type."""
    argument: str


class _Written(Record):
    """What becomes of one kernel's body."""

    condition: str
    before: tuple[str, ...]
    lines: tuple[str, ...]
    is_single: bool
    """One statement, which needs no braces."""


def fused_name(context: TransformationContext, parts: Sequence[FusedPart]) -> str:
    """``scale_and_shift``; of more than two ``scale_to_store``."""
    first, last = parts[0].launch.kernel.name, parts[-1].launch.kernel.name
    is_snake = "_" in f"{first}{last}" or f"{first}{last}".islower()
    style = replace(style_of(context), is_camel=not is_snake)
    return fresh_name(context.tree, style.name(first, "and" if len(parts) == 2 else "to", last))


def fused_edits(context: TransformationContext, parts: Sequence[FusedPart]) -> tuple[TextEdit, ...]:
    """The new kernel in the place of the last one's definition, the others gone where nothing else launches them, and one launch."""
    name = fused_name(context, parts)
    parameters, renamed = _merged(context, parts)
    text = _kernel_text(context, name, parameters, parts, renamed)
    last = max(parts, key=lambda part: part.launch.kernel.span.start)
    newline = line_end(context.text)
    edits = list(_removals(context, parts, last))
    end = last.work.function.span.end
    edits.append(
        TextEdit(last.work.function.span, text)
        if _is_launched_once(context, last)
        else TextEdit(Span(end, end), f"{newline}{newline}{text}")
    )
    return tuple(sorted((*edits, *_launch(context, name, parameters, parts))))


def _launch(context: TransformationContext, name: str, parameters: Sequence[_Parameter], parts: Sequence[FusedPart]) -> Iterator[TextEdit]:
    """The first launch, of the new kernel; the others go with their lines."""
    site = parts[0].launch.launch.site
    text = context.text[site.span.start : site.span.end]
    shape = text[text.index("<<<") : text.rindex(">>>") + 3]
    yield TextEdit(site.span, f"{name}{shape}({', '.join(parameter.argument for parameter in parameters)})")
    for part in parts[1:]:
        yield _without_comments_above(context, part.launch.statement)


def _without_comments_above(context: TransformationContext, statement: Node) -> TextEdit:
    """Takes the statement away, and what is said of it on the lines above."""
    tree, gone = context.tree, without_line(context.text, context.tree.span(statement))
    above, _ = comments_of(tree, statement)
    first = statement
    for _ in above:
        first = first.prev_named_sibling or first
    start = context.text.rfind("\n", 0, tree.span(first).start) + 1
    return TextEdit(Span(min(gone.span.start, start), gone.span.end), "") if above else gone


def _is_launched_once(context: TransformationContext, part: FusedPart) -> bool:
    """Nothing but its definition and that launch mentions it."""
    name = part.launch.kernel.name
    mentions = len(re.findall(rf"\b{re.escape(name)}\b", context.tree.reading.code))
    return mentions == 2 and not any(name in words_in(source.text) for source in (*context.tree.others, *context.elsewhere))


def _removals(context: TransformationContext, parts: Sequence[FusedPart], last: FusedPart) -> Iterator[TextEdit]:
    """Of the kernels that nothing launches any more; what their comments say goes above the new kernel."""
    said: list[str] = []
    for part in parts:
        if part is not last and _is_launched_once(context, part):
            edit, comments = removal(context, part.work.function)
            yield edit
            said += comments
    if said:
        newline, text = line_end(context.text), context.text
        above, _ = comments_of(context.tree, _outermost(context, last))
        start = last.work.function.span.start
        for comment in reversed(above):
            start = text.rfind(comment, 0, start)
        line = text.rfind("\n", 0, start) + 1
        yield TextEdit(Span(line, line), "".join(f"{words}{newline}" for words in said))


def _outermost(context: TransformationContext, part: FusedPart) -> Node:
    """The kernel's definition with its template head."""
    function = part.work.function
    nodes = (function.node, *context.tree.ancestors(function.node))
    return next((node for node in nodes if context.tree.span(node).start == function.span.start), function.node)


def _merged(context: TransformationContext, parts: Sequence[FusedPart]) -> tuple[tuple[_Parameter, ...], tuple[Mapping[str, str], ...]]:
    """The parameters, those with one argument and type once; and of each kernel which of its names are called otherwise."""
    found, renamed = list[_Parameter](), list[Mapping[str, str]]()
    taken = set[str]()
    for part in parts:
        names = dict[str, str](part.types)
        for variable, argument in zip(part.work.function.parameters, part.launch.launch.site.arguments, strict=True):
            given = argument.text.strip()
            declared = _typed(context, part, variable)
            same = next((n for n, each in enumerate(found) if each.argument == given and _is_same_type(each, declared, variable)), None)
            if same is not None:
                names[variable.name] = found[same].name
                if "const" not in declared:
                    found[same] = replace(found[same], declared=_called(declared, variable.name, found[same].name))
                continue
            name = variable.name if variable.name not in taken else _free(part.launch.kernel.name, variable.name, taken)
            found.append(_Parameter(name, _called(declared, variable.name, name), given))
            names[variable.name] = name
            taken.add(name)
        renamed.append(names)
    return tuple(found), _with_locals(context, parts, renamed, taken)


def _with_locals(
    context: TransformationContext, parts: Sequence[FusedPart], renamed: Sequence[Mapping[str, str]], taken: set[str]
) -> tuple[Mapping[str, str], ...]:
    """The same with the locals of later kernels that have the name of a parameter or of an earlier local."""
    index, taken = parts[0].work.index.name, set(taken)
    if index in taken:
        index = _free("thread", index, taken)
    taken.add(index)
    found: list[Mapping[str, str]] = []
    for part, names in zip(parts, renamed, strict=True):
        every = dict(names)
        for name in locals_of(context.tree, part.work.function.body):
            if name == part.work.index.name:
                every[name] = index
                continue
            every[name] = name if name not in taken else _free(part.launch.kernel.name, name, taken)
            taken.add(every[name])
        found.append(every)
    return tuple(found)


def _free(owner: str, name: str, taken: set[str]) -> str:
    wanted = f"{owner.rstrip('_')}_{name.lstrip('_')}"
    while wanted in taken:
        wanted += "2"
    return wanted


def _typed(context: TransformationContext, part: FusedPart, variable: Variable) -> str:
    """The declaration of a parameter, its default left out, with types in the place of template parameters."""
    text = context.tree.text(variable.node).split("=")[0].strip()
    return re.sub(r"\b\w+\b", lambda found: part.types.get(found[0], found[0]), text)


def _called(declared: str, name: str, new: str) -> str:
    return re.sub(rf"\b{re.escape(name)}\b(?!.*\b{re.escape(name)}\b)", new, declared)


def _is_same_type(one: _Parameter, declared: str, variable: Variable) -> bool:
    """Both take the argument in the same way, but for a `const` of what it points to."""
    shapes = [_shape(one.declared, one.name), _shape(declared, variable.name)]
    return shapes[0] == shapes[1]


def _shape(declared: str, name: str) -> str:
    text = re.sub(rf"\b(?:const|__restrict__|__restrict|{re.escape(name)})\b", "", declared)
    return "".join(text.replace("[]", "*").split())


def _kernel_text(
    context: TransformationContext,
    name: str,
    parameters: Sequence[_Parameter],
    parts: Sequence[FusedPart],
    renamed: Sequence[Mapping[str, str]],
) -> str:
    tree, style, newline = context.tree, style_of(context), line_end(context.text)
    first = parts[0].work
    body = context.text[first.function.span.start : first.function.span.end]
    opens_below = re.search(r"\)\s*\n\s*\{", body[: body.index("{") + 1]) is not None
    head = f"__global__ void {name}({', '.join(parameter.declared for parameter in parameters)})"
    written = [_written(context, part, names) for part, names in zip(parts, renamed, strict=True)]
    index = _replaced(context, tree.span(first.index.node), renamed[0])
    lines = [index, *_checked(style, written, all(part.work.is_early for part in parts))]
    opened = (head, "{") if opens_below else (f"{head} {{",)
    return newline.join((*opened, *(f"{style.indent}{line}" if line else "" for line in lines), "}"))


def _checked(style: Style, written: Sequence[_Written], is_early: bool) -> list[str]:
    """The work of the kernels in their order, behind one check where all ask the same."""
    conditions = {"".join(each.condition.split()) for each in written}
    before = [line for each in written for line in each.before]
    if len(conditions) > 1:
        return [*before, *(line for each in written for line in _branch(style, each))]
    lines = [line for each in written for line in each.lines]
    if is_early:
        return [f"if ({_left(written[0].condition)}) return;", *before, *lines]
    inner = (style.indent + line for line in lines)
    return [*before, *style.opened(f"if ({written[0].condition})"), *inner, "}"]


def _branch(style: Style, each: _Written) -> tuple[str, ...]:
    head, inner = f"if ({each.condition})", (style.indent + line for line in each.lines)
    return (head, *inner) if each.is_single else (*style.opened(head), *inner, "}")


def _left(condition: str) -> str:
    """What holds for a thread that leaves; of a condition that is made of comparisons."""
    parts = [re.split(r"(>=|<=|>|<)", part.strip(), maxsplit=1) for part in condition.split("&&")]
    return " || ".join(f"{left.strip()} {OPPOSITE_ORDER[operator]} {right.strip()}" for left, operator, right in parts)


def _written(context: TransformationContext, part: FusedPart, names: Mapping[str, str]) -> _Written:
    before = tuple(_replaced(context, context.tree.span(node), names) for node in part.work.before)
    piece = _replaced(context, part.work.work, names)
    return _Written(_condition(context, part.work, names), before, tuple(dedented(piece, is_opened=True)), part.work.is_single)


def _condition(context: TransformationContext, work: ThreadWork, names: Mapping[str, str]) -> str:
    """What holds for a thread that works."""
    found: list[str] = []
    for node in joined(work.condition, "||" if work.is_early else "&&"):
        parts = binary_parts(unparenthesized(node))
        assert parts is not None, "a bounds check is made of comparisons"
        operator = OPPOSITE_ORDER[parts[0]] if work.is_early else parts[0]
        left, right = (_replaced(context, context.tree.span(side), names) for side in parts[1:])
        found.append(f"{left} {operator} {right}")
    return " && ".join(found)


def _replaced(context: TransformationContext, span: Span, names: Mapping[str, str]) -> str:
    """The text with its names called as in the new kernel."""
    tree, text = context.tree, context.text[span.start : span.end]
    found = [n for n in tree.find("identifier", "type_identifier") if span.contains(tree.span(n)) and names.get(tree.text(n)) is not None]
    for node in reversed(found):
        at = tree.span(node)
        text = text[: at.start - span.start] + names[tree.text(node)] + text[at.end - span.start :]
    return text
