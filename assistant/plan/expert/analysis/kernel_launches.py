"""The launches of the kernel that is to be transformed, and what all of them agree on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.parse import parse
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import SyntaxTree, kept
from assistant.model.launch import Dim3
from assistant.model.source import LaunchSite, ParsedSource, Source
from assistant.plan.expert.transformation import TransformationContext

__all__ = [
    "every_launch_of",
    "known_blocks",
    "launches_of",
    "launching_contexts",
    "parsed_program",
    "sites_elsewhere",
    "template_environment",
]


def launches_of(context: TransformationContext) -> tuple[Launch, ...]:
    """Every launch of the kernel in the text: those that can be edited with it."""
    sites = context.parsed.launch_sites_of(context.kernel)
    return tuple(launch for site in sites if (launch := launch_of(context.tree, site)) is not None)


def launching_contexts(context: TransformationContext) -> tuple[TransformationContext, ...]:
    """The same question with each of the other files that name the kernel as the text, for what looks at launches alone."""
    return tuple(replace(context, parsed=file, tree=SyntaxTree(file.source.text), launching=()) for file in context.launching)


def every_launch_of(context: TransformationContext) -> tuple[Launch, ...]:
    """Every launch of the kernel in its program's files, for what must be true of all of them."""
    found = (launch_of(context.tree.program, site) for site in sites_elsewhere(context))
    return (*launches_of(context), *(launch for launch in found if launch is not None))


def sites_elsewhere(context: TransformationContext) -> tuple[LaunchSite, ...]:
    """Its launch sites in the program's other files, as places in `SyntaxTree.program`; none where another kernel has its name."""
    if context.tree.program is context.tree:
        return ()
    parsed = parsed_program(context.tree)
    if sum(kernel.name == context.kernel.name for kernel in parsed.kernels) > 1:
        return ()
    return tuple(site for site in parsed.launch_sites_of(context.kernel) if site.span.start >= len(context.text))


@kept
def parsed_program(tree: SyntaxTree) -> ParsedSource:
    """All files of the program as one text, as `SyntaxTree.program` is."""
    return parse(Source(Path("program.cu"), tree.program.source))


def known_blocks(context: TransformationContext) -> tuple[Dim3, ...]:
    """Every block the kernel is started with: from the text where all its launches are constant, else as seen running."""
    written = [block_dims(launch) for launch in every_launch_of(context)]
    known = [block for block in written if block is not None]
    if known and len(known) == len(written):
        return tuple(dict.fromkeys(known))
    return tuple(dict.fromkeys(launch.block for launch in context.launches))


def template_environment(context: TransformationContext) -> dict[str, int]:
    """Integer template parameters that have one and the same value at every launch."""
    parameters = context.kernel.template_parameters
    found: dict[str, set[int | None]] = {}
    elsewhere = sites_elsewhere(context)
    scope = scope_inside(context.tree.program if elsewhere else context.tree, None)
    for site in (*context.parsed.launch_sites_of(context.kernel), *elsewhere):
        for parameter, argument in zip(parameters, site.template_arguments, strict=False):
            value = scope.constants.get(argument, int(argument) if argument.isdigit() else None)
            found.setdefault(parameter.name, set()).add(value)
    for parameter in parameters:
        if parameter.default is not None and parameter.default.isdigit():
            found.setdefault(parameter.name, {int(parameter.default)})
    return {name: value for name, values in found.items() if len(values) == 1 for value in values if value is not None}
