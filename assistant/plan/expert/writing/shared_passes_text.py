"""The text of a kernel that does several passes over a block's elements in shared memory, and of the host loop that launches it.

Example::

    shared_passes_edits(context, passes, pairs, bound, 256)    # the new kernel behind the author's, and a branch in the loop
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.cuda.assignments import assignments
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import free_name, fresh_name, names_in, words_in
from assistant.cuda.scopes import scope_inside, scope_of
from assistant.cuda.syntax import Node, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.paired_elements import PairedElements
from assistant.plan.expert.analysis.pass_bound import PassBound
from assistant.plan.expert.analysis.pass_loop import PassLoop
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import dedented, indentation, without_line
from assistant.plan.expert.writing.style import Style, style_of
from assistant.record import Record

__all__ = ["PassesText", "shared_passes_edits", "tile_kernel_name"]

_WORD = re.compile(r"[\w.]+|\([^()]*\)|[\w.]+\s*[*/]\s*[\w.]+")
_NARROW = ("int", "unsigned", "unsigned int", "uint32_t", "int32_t", "uint")


class PassesText(Record):
    """What the text is made from."""

    context: TransformationContext
    passes: PassLoop
    pairs: PairedElements
    bound: PassBound | None
    block: int


class _Kernel(Record):
    """The new kernel."""

    text: str
    arguments: tuple[str, ...]


def shared_passes_edits(of: PassesText) -> tuple[TextEdit, ...]:
    """The kernel, placed behind the author's, and the host loop's edits; places in the context's text."""
    newline, end = line_end(of.context.text), of.pairs.function.span.end
    kernel = _kernel(of)
    text = kernel.text.replace("\n", newline)
    return (TextEdit(Span(end, end), f"{newline}{newline}{text}"), *_host_edits(of, kernel.arguments))


def tile_kernel_name(context: TransformationContext) -> str:
    """What the new kernel is called."""
    name = context.kernel.name
    is_camel = "_" not in name and (re.search(r"[a-z][A-Z]", name) is not None or style_of(context).is_camel)
    return fresh_name(context.tree, f"{name}Tile" if is_camel else f"{name.rstrip('_')}_tile")


def _kernel(of: PassesText) -> _Kernel:
    context, tree, function = of.context, of.context.tree, of.pairs.function
    style = style_of(context)
    hoisted, work, index = _split(of)
    tiles = _tile_names(of, style)
    first = free_name(tree, function.node, "first", "base", "first_element")
    variable = _variable(of)
    computed = _computed(of, variable)
    inner = [*computed, *_work_lines(of, work, tiles, first, index)]
    kept, arguments = _parameters(of, variable, "\n".join((*hoisted, *inner)))
    places, size = _places(of, first, index), _block_name(of) or str(of.block)
    types = {name: parameter.type for name in of.pairs.arrays if (parameter := function.parameter(name)) is not None}
    lines = [
        *(f"__shared__ {types[name]} {tiles[name]}[{_times(of.pairs.count, size)}];" for name in of.pairs.arrays),
        *hoisted,
        *_first(of, first, index),
        *(f"{tiles[name]}[{own}] = {name}[{place}];" for name in of.pairs.arrays for own, place in places),
        *style.opened(_head(of, variable)),
        *(style.indent + line if line else "" for line in ("__syncthreads();", *inner)),
        "}",
        "__syncthreads();",
        *(f"{name}[{place}] = {tiles[name]}[{own}];" for name in of.pairs.arrays for own, place in places),
    ]
    said = f"// The passes of {context.kernel.name} whose pairs lie in a block's tile, one after the other in shared memory."
    body = "\n".join(("{", *(style.indent + line if line else "" for line in lines), "}"))
    return _Kernel(f"{said}\n{_signature(of, kept)}{body}", arguments)


def _block_name(of: PassesText) -> str | None:
    """What the text calls the block's size before the kernel; None where it is a number, or known to the host alone."""
    tree, node = of.context.tree, of.passes.launch.block.components[0]
    name = tree.text(node)
    is_above = name in words_in(of.context.text[: of.pairs.function.span.start])
    return name if node.type == "identifier" and is_above and name in scope_inside(tree, None).constants else None


def _signature(of: PassesText, kept: Sequence[str]) -> str:
    """From the template's head to the body's brace."""
    tree, function = of.context.tree, of.pairs.function
    parameters = function.declarator.child_by_field_name("parameters")
    assert parameters is not None, "a kernel has a list of parameters"
    listed, start = tree.span(parameters), function.span.start
    head = of.context.text[start : listed.start]
    head = re.sub(rf"\b{re.escape(function.name)}\b(?=\s*$)", tile_kernel_name(of.context), head)
    old = of.context.text[listed.start : listed.end]
    between, begin, end = re.search(r",(\s*\n\s*)", old), re.match(r"\(\s*", old), re.search(r"\s*\)$", old)
    assert begin is not None and end is not None, "a list of parameters has parentheses"
    joined = (f",{between[1]}" if between is not None else ", ").join(kept)
    rest = of.context.text[listed.end : tree.span(function.body).start]
    return f"{head}{begin[0]}{joined}{end[0]}{rest}".replace("\r\n", "\n")


def _parameters(of: PassesText, variable: str, body: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The new kernel's parameters, as declared and as given: those that its text mentions still."""
    passes, used = of.passes, words_in(body)
    declared, given = list[str](), list[str]()
    is_begun = passes.step.grows
    for parameter, argument in zip(of.pairs.function.parameters, passes.launch.site.arguments, strict=True):
        if parameter.name in passes.given:
            if not is_begun and of.passes.direct in (None, parameter.name):
                text = re.sub(r"\bconst\s+|\s+const\b", "", of.context.tree.text(parameter.node))
                declared.append(text if passes.direct else f"{passes.type} {variable}")
                given.append(passes.variable)
                is_begun = True
        elif parameter.name in used or parameter.name in of.pairs.arrays:
            declared.append(of.context.tree.text(parameter.node))
            given.append(argument.text.strip())
    return tuple(declared), tuple(given)


def _variable(of: PassesText) -> str:
    """What the new kernel's loop counts in."""
    taken = of.passes.direct
    return taken if taken is not None else free_name(of.context.tree, of.pairs.function.node, of.passes.variable, "pass")


def _computed(of: PassesText, variable: str) -> Iterator[str]:
    """What the host gave to each pass, where that is made of the loop's variable."""
    for parameter in of.pairs.function.parameters:
        if parameter.name in of.passes.given and parameter.name != of.passes.direct:
            value = _renamed(of.context.tree.text(of.passes.given[parameter.name]), of.passes.variable, variable)
            yield f"const {parameter.type} {parameter.name} = {value};"


def _head(of: PassesText, variable: str) -> str:
    """Of the loop over the passes."""
    tree, passes = of.context.tree, of.passes
    update = _renamed(tree.text(passes.update), passes.variable, variable)
    if not passes.step.grows:
        return f"for (; {_renamed(tree.text(passes.condition), passes.variable, variable)}; {update})"
    parameter = None if passes.direct is None else of.pairs.function.parameter(passes.direct)
    kind = passes.type if parameter is None else parameter.type
    last, block = of.pairs.last, of.block
    below = {block: "<= blockDim.x", 2 * block: "<= 2 * blockDim.x", block // 2: "< blockDim.x"} if passes.step.is_geometric else {}
    return f"for ({kind} {variable} = {tree.text(passes.start)}; {variable} {below.get(last, f'<= {last}')}; {update})"


def _renamed(text: str, name: str, new: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(name)}\b", new, text)


def _times(count: int, text: str) -> str:
    return text if count == 1 else f"{count} * {text}"


def _tile_names(of: PassesText, style: Style) -> dict[str, str]:
    tree, node, arrays = of.context.tree, of.pairs.function.node, of.pairs.arrays
    if len(arrays) == 1:
        return {arrays[0]: free_name(tree, node, "tile", style.name(arrays[0], "tile"))}
    return {name: free_name(tree, node, style.name(name, "tile")) for name in arrays}


def _first(of: PassesText, first: str, index: Variable | None) -> tuple[str, ...]:
    """The index of the block's first element."""
    kind = "unsigned" if index is None else index.type
    qualifier = "const " if index is not None and "const" in of.context.tree.text(index.node).split("=")[0] else ""
    if index is None or (index.type in _NARROW and of.pairs.count == 2):
        return (f"{qualifier}{kind} {first} = {_times(of.pairs.count, 'blockIdx.x')} * blockDim.x;",)
    start = f"{index.name} - threadIdx.x"
    return (f"{qualifier}{kind} {first} = {start if of.pairs.count == 1 else f'2 * ({start})'};",)


def _places(of: PassesText, first: str, index: Variable | None) -> tuple[tuple[str, str], ...]:
    """(in the tile, in the array) of the elements that a thread brings and takes back."""
    if of.pairs.count == 1:
        return (("threadIdx.x", index.name if index is not None else f"{first} + threadIdx.x"),)
    return tuple((place, f"{first} + {place}") for place in ("threadIdx.x", "threadIdx.x + blockDim.x"))


def _split(of: PassesText) -> tuple[tuple[str, ...], Span, Variable | None]:
    """Lines that stand before the passes, the place of what each pass does, and the local that is the thread's index."""
    context, tree = of.context, of.context.tree
    body = tree.span(context.body)
    statements = without_comments(context.body)
    cut, count, index = body.start + 1, 0, None
    followed = {*of.passes.given, *of.pairs.arrays}
    for number, statement in enumerate(statements):
        is_guard = _is_dropped(of, statement)
        if not is_guard and not _stays(of, statement, statements[number + 1 :], followed):
            break
        index = index or _index_of(of, statement)
        cut, count = _line_end(context.text, tree.span(statement).end), number + 1
    before = Span(body.start + 1, cut)
    gone = [without_line(context.text, tree.span(s)) for s in statements[:count] if _is_dropped(of, s)]
    piece = _edited(context.text, before, gone)
    rest = statements[count] if count < len(statements) else None
    if rest is not None and of.bound is not None and rest == of.bound.statement and _is_opened(of, statements[count:]):
        inner = rest.child_by_field_name("consequence")
        assert inner is not None, "a branch has something to do"
        span = tree.span(inner)
        work = Span(span.start + 1, span.end - 1) if inner.type == "compound_statement" else span
        return tuple(dedented(piece, is_opened=True)), work, index
    return tuple(dedented(piece, is_opened=True)), Span(cut, body.end - 1), index


def _is_dropped(of: PassesText, statement: Node) -> bool:
    """An early return that no thread takes."""
    bound = of.bound
    return bound is not None and statement == bound.statement and bound.is_early and not bound.others


def _is_opened(of: PassesText, left: Sequence[Node]) -> bool:
    """All that is left is the bounds check with the work in it."""
    return len(left) == 1 and of.bound is not None and not of.bound.is_early and not of.bound.others


def _stays(of: PassesText, statement: Node, later: Sequence[Node], followed: set[str]) -> bool:
    """The statement sets locals that are the same in each pass."""
    tree = of.context.tree
    if statement.type not in ("declaration", "expression_statement") or names_in(tree, statement) & followed:
        return False
    changes = assignments(tree, statement)
    if statement.type == "declaration":
        names = {variable.name for variable in declared_variables(tree, statement) if variable.value is not None}
        is_plain = not changes
    else:
        names = {tree.text(change.target) for change in changes}
        is_plain = len(changes) == 1 and changes[0].operator == "=" and changes[0].target.type == "identifier"
    changed = {tree.text(change.target) for each in later for change in assignments(tree, each)}
    return is_plain and not names & changed


def _index_of(of: PassesText, statement: Node) -> Variable | None:
    """The local that a statement sets to the thread's index in the grid."""
    context, tree = of.context, of.context.tree
    if statement.type == "declaration":
        variables = declared_variables(tree, statement)
        return next((v for v in variables if v.value is not None and _is_index(of, v.value)), None)
    for change in assignments(tree, statement):
        if change.value is not None and _is_index(of, change.value):
            name = tree.text(change.target)
            declared = (v for node in context.body.named_children if node.type == "declaration" for v in declared_variables(tree, node))
            return next((v for v in declared if v.name == name), None)
    return None


def _is_index(of: PassesText, value: Node) -> bool:
    """It is the thread's index in a grid of the launch's blocks."""
    scope, block = scope_of(of.context.tree, of.context.kernel), of.block
    places = ((index, thread) for index in (0, 1, 9) for thread in (0, 1, block - 1))
    return all(
        evaluate(value, scope, {"blockIdx.x": index, "threadIdx.x": thread, "blockDim.x": block}) == index * block + thread
        for index, thread in places
    )


def _line_end(text: str, offset: int) -> int:
    """Where a statement's line ends, if nothing but a comment follows on it."""
    stop = text.find("\n", offset)
    rest = text[offset:stop].strip()
    is_comment = rest.startswith("//") or (rest.startswith("/*") and rest.endswith("*/"))
    return stop if not rest or is_comment else offset


def _work_lines(of: PassesText, work: Span, tiles: dict[str, str], first: str, index: Variable | None) -> Iterator[str]:
    tree, text = of.context.tree, of.context.text
    edits = [
        TextEdit(tree.span(access.node), f"{tiles[access.base]}[{_in_tile(of, access.indices, first, index)}]")
        for access in of.pairs.accesses
        if work.contains(tree.span(access.node))
    ]
    for node in tree.find("return_statement", inside=of.context.body):
        if work.contains(tree.span(node)):
            edits.append(TextEdit(tree.span(node), "continue;"))
    bound = of.bound
    if bound is not None and work.contains(tree.span(bound.statement)):
        if _is_dropped(of, bound.statement):
            edits = [each for each in edits if not tree.span(bound.statement).contains(each.span)]
            edits.append(without_line(text, tree.span(bound.statement)))
        elif bound.others:
            condition = tree.span(unparenthesized(bound.statement.child_by_field_name("condition") or bound.comparison))
            asked = (" || " if bound.is_early else " && ").join(tree.text(unparenthesized(each)) for each in bound.others)
            edits.append(TextEdit(Span(condition.start + 1, condition.end - 1) if text[condition.start] == "(" else condition, asked))
    yield from dedented(_edited(text, work, edits), is_opened=True)


def _in_tile(of: PassesText, indices: tuple[Node, ...], first: str, index: Variable | None) -> str:
    """The place in the tile of an element."""
    text = of.context.tree.text(indices[0]) if indices else "0"
    if of.pairs.count == 1 and index is not None and text == index.name:
        return "threadIdx.x"
    is_sum = re.search(r"[&|^?<>=]", text) is None
    return f"{text} - {first}" if is_sum else f"({text}) - {first}"


def _edited(text: str, span: Span, edits: Sequence[TextEdit]) -> str:
    piece = text[span.start : span.end]
    for edit in sorted(edits, reverse=True):
        piece = piece[: edit.span.start - span.start] + edit.new_text + piece[edit.span.end - span.start :]
    return piece.replace("\r\n", "\n")


def _host_edits(of: PassesText, arguments: Sequence[str]) -> Iterator[TextEdit]:
    """The branch before the launch that does a run of passes at once; braces around both where the loop has none."""
    context, tree, passes = of.context, of.context.tree, of.passes
    text, style, newline = context.text, style_of(context), line_end(context.text)
    statement, site = tree.span(passes.statement), passes.launch.site
    written = text[site.span.start : site.span.end]
    at = written.index("<<<")
    named = re.sub(rf"\b{re.escape(context.kernel.name)}\b", tile_kernel_name(context), written[:at])
    shape = written[at : written.rindex(">>>") + 3]
    last = _last(of)
    after = (f"{passes.variable} = {last};", "continue;") if passes.step.grows else ("break;",)
    inner = (f"{named}{shape}({', '.join(arguments)});", *(tree.text(each) for each in passes.checks if tree.text(each) != ";"), *after)
    said = "// the pairs of the first passes lie in a block's tile" if passes.step.grows else "// from here on pairs lie in a block's tile"
    lines = (said, *style.opened(f"if ({_asked(of, last)})"), *(style.indent + line for line in inner), "}")
    if passes.statement.parent is not None and passes.statement.parent.type == "compound_statement":
        start = text.rfind("\n", 0, statement.start) + 1
        if text[start : statement.start].strip():
            yield TextEdit(Span(statement.start, statement.start), " ".join(lines[1:]) + " ")
        else:
            indent = indentation(text, statement.start)
            yield TextEdit(Span(start, start), "".join(f"{indent}{line}{newline}" for line in lines))
        return
    closing = passes.statement.prev_sibling
    while closing is not None and closing.type == "comment":
        closing = closing.prev_sibling
    assert closing is not None, "a loop has a head"
    outer = indentation(text, tree.span(passes.loop).start)
    opening = f"{newline}{outer}{{" if style.opens_below else " {"
    every = (*lines, text[statement.start : statement.end])
    block = "".join(f"{newline}{outer}{style.indent}{line}" for line in every)
    yield TextEdit(Span(tree.span(closing).end, statement.end), f"{opening}{block}{newline}{outer}}}")


def _last(of: PassesText) -> str:
    """The last pass that a tile has the pairs of, as the host says it."""
    block = of.context.tree.text(of.passes.launch.block.components[0])
    words = {of.block: block, 2 * of.block: f"2 * {block}", of.block // 2: f"{block} / 2"} if of.passes.step.is_geometric else {}
    return words.get(of.pairs.last, str(of.pairs.last))


def _asked(of: PassesText, last: str) -> str:
    """When a run of passes goes in one launch."""
    tree, passes, bound = of.context.tree, of.passes, of.bound
    name, parts = passes.variable, list[str]()
    if passes.step.grows:
        parts += [f"{name} == {tree.text(passes.start)}", _renamed(tree.text(passes.condition), name, last).replace("!=", "<")]
    elif passes.step.is_geometric:
        parts.append(f"{last} % {name} == 0")
    else:
        parts.append(f"{name} <= {last}")
    if bound is not None:
        block = tree.text(passes.launch.block.components[0])
        unit = block if bound.unit == of.block else f"({of.pairs.count} * {block})"
        total = bound.total if re.fullmatch(r"[\w.]+", bound.total) else f"({bound.total})"
        parts.append(f"{total} % {unit} == 0")
    return " && ".join(parts)
