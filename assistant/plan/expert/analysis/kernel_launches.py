"""The launches of the kernel that is to be transformed in all files of its program, and what all of them agree on.

The files are read as one text, the kernel's own file first, so that places of that file are the same in both.

Example::

    program = of_program(context)
    edits = [edit for launch in launches_of(program) for edit in …]     # places in `program.text`
    own, in_others = by_file(context, edits)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assistant.cuda.constants import file_constants
from assistant.cuda.functions import enclosing_function
from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.parse import parse
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import SyntaxTree, kept
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason, FileEdits
from assistant.model.source import Kernel, ParsedSource, Source, Span, TextEdit
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["by_file", "extent_of", "known_blocks", "launches_of", "of_program", "out_of_sight", "template_environment", "template_values"]


def of_program(context: TransformationContext) -> TransformationContext:
    """The same question with all files of the program as the text; the context itself where another kernel has the kernel's name."""
    tree = context.tree.program
    if tree is context.tree:
        return context
    parsed = _parsed(context.tree)
    is_only = sum(kernel.name == context.kernel.name for kernel in parsed.kernels) == 1
    return replace(context, parsed=parsed, tree=tree) if is_only else context


def extent_of(context: TransformationContext) -> str:
    """How far launches are looked for, as a noun."""
    return "file" if of_program(context) is context else "program"


@kept
def _parsed(tree: SyntaxTree) -> ParsedSource:
    return parse(Source(Path("program.cu"), tree.program.source))


def by_file(context: TransformationContext, edits: Iterable[TextEdit]) -> tuple[tuple[TextEdit, ...], tuple[FileEdits, ...]]:
    """Edits of `of_program`'s text that change something: those of the kernel's own file, and those of others in their places there."""
    program = of_program(context)
    found: dict[Path | None, list[TextEdit]] = {None: []}
    for span, new_text in ((edit.span, edit.new_text) for edit in sorted(set(edits))):
        if program.text[span.start : span.end] != new_text:
            path, start = program.tree.file_at(span)
            found.setdefault(path, []).append(TextEdit(Span(span.start - start, span.end - start), new_text))
    return tuple(found[None]), tuple(sorted(FileEdits(path, tuple(made)) for path, made in found.items() if path is not None))


def out_of_sight(context: TransformationContext) -> Obstacle | None:
    """Why a file that launches the kernel would not know one of another name: it declares the kernel, and includes no file that has it."""
    tree = of_program(context).tree
    for node in tree.find("function_declarator"):
        name, path = node.child_by_field_name("declarator"), tree.file_at(tree.span(node))[0]
        if path is not None and name is not None and tree.text(name) == context.kernel.name:
            words = f"{path.name} would have to include the file that holds {context.kernel.name}, instead of declaring it"
            return Obstacle(DeclineReason.LAUNCH_FORM, words)
    return None


def launches_of(context: TransformationContext) -> tuple[Launch, ...]:
    """Every launch of the kernel in its program's files, as places in the text of `of_program`."""
    program = of_program(context)
    found = (launch_of(program.tree, site) for site in program.parsed.launch_sites_of(context.kernel))
    return tuple(launch for launch in found if launch is not None)


def known_blocks(context: TransformationContext) -> tuple[Dim3, ...]:
    """Every block the kernel is started with: from the text where all its launches are constant, else as seen running."""
    written = [block_dims(launch) for launch in launches_of(context)]
    known = [block for block in written if block is not None]
    if known and len(known) == len(written):
        return tuple(dict.fromkeys(known))
    return tuple(dict.fromkeys(launch.block for launch in context.launches))


def template_environment(context: TransformationContext) -> dict[str, int]:
    """Integer template parameters that have one and the same value at every launch."""
    program = of_program(context)
    return template_values(program.parsed, program.tree, context.kernel)


def template_values(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel) -> dict[str, int]:
    """The same by the launches of a text alone."""
    found: dict[str, set[int | None]] = {}
    for site in parsed.launch_sites_of(kernel):
        constants = {**_file_constants(tree, site.span), **scope_inside(tree, tree.node_at(site.span)).constants}
        for parameter, argument in zip(kernel.template_parameters, site.template_arguments, strict=False):
            value = constants.get(argument, int(argument) if argument.isdigit() else None)
            found.setdefault(parameter.name, set()).add(value)
    for parameter in kernel.template_parameters:
        if parameter.default is not None and parameter.default.isdigit():
            found.setdefault(parameter.name, {int(parameter.default)})
    return {name: value for name, values in found.items() if len(values) == 1 for value in values if value is not None}


def _file_constants(tree: SyntaxTree, launch: Span) -> dict[str, int]:
    """Constants outside functions as a launch sees them, also under names that mean something else elsewhere."""
    node = tree.node_at(launch)
    function = None if node is None else enclosing_function(tree, node)
    if node is None or function is None:
        return {}
    hidden = {*locals_of(tree, function.body), *(parameter.name for parameter in function.parameters)}
    template = function.node.parent
    if template is not None and template.type == "template_declaration":
        hidden |= set(re.findall(r"\w+", tree.text(template).partition(">")[0]))
    found: dict[str, set[str]] = {}
    for name, value in file_constants(tree.source):
        found.setdefault(name, set()).add(value)
    known = {name: values.pop() for name, values in found.items() if len(values) == 1 and name not in hidden}
    return {name: int(value) for name, value in known.items() if value.isdigit()}
