"""The launches of the kernel that is to be transformed, and what all of them agree on."""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import SyntaxTree
from assistant.model.launch import Dim3
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["known_blocks", "launches_of", "launching_contexts", "template_environment"]


def launches_of(context: TransformationContext) -> tuple[Launch, ...]:
    """Every launch of the kernel in the text."""
    sites = context.parsed.launch_sites_of(context.kernel)
    return tuple(launch for site in sites if (launch := launch_of(context.tree, site)) is not None)


def launching_contexts(context: TransformationContext) -> tuple[TransformationContext, ...]:
    """The same question with each of the other files that name the kernel as the text, for what looks at launches alone."""
    return tuple(replace(context, parsed=file, tree=SyntaxTree(file.source.text), launching=()) for file in context.launching)


def known_blocks(context: TransformationContext) -> tuple[Dim3, ...]:
    """Every block the kernel is started with: from the text where all its launches are constant, else as seen running."""
    written = [block_dims(launch) for launch in launches_of(context)]
    known = [block for block in written if block is not None]
    if known and len(known) == len(written):
        return tuple(dict.fromkeys(known))
    return tuple(dict.fromkeys(launch.block for launch in context.launches))


def template_environment(context: TransformationContext) -> dict[str, int]:
    """Integer template parameters that have one and the same value at every launch."""
    parameters = context.kernel.template_parameters
    found: dict[str, set[int | None]] = {}
    scope = scope_inside(context.tree, None)
    for site in context.parsed.launch_sites_of(context.kernel):
        for parameter, argument in zip(parameters, site.template_arguments, strict=False):
            value = scope.constants.get(argument, int(argument) if argument.isdigit() else None)
            found.setdefault(parameter.name, set()).add(value)
    for parameter in parameters:
        if parameter.default is not None and parameter.default.isdigit():
            found.setdefault(parameter.name, {int(parameter.default)})
    return {name: value for name, values in found.items() if len(values) == 1 for value in values if value is not None}
