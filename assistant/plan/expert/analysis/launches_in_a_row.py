"""Launches that follow each other in host code, with the same grid, block and stream, and nothing between them.

Example::

    row = launches_in_a_row(context)      # of `scale<<<g, b>>>(x, n); shift<<<g, b>>>(x, y, n);` both, first the kernel's own
"""

from __future__ import annotations

import re

from assistant.cuda.launch_shape import Launch, launch_of
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.model.source import Kernel, LaunchSite
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["LaunchStatement", "launches_in_a_row"]

_ASKS_FOR_ERRORS = re.compile(r"[\w:]*\s*\(?\s*cuda(?:GetLastError|PeekAtLastError)\s*\(\s*\)\s*\)?\s*;")
"""A statement that only checks whether the launch before it was one."""


class LaunchStatement(Record):
    """One launch, a statement of its own."""

    kernel: Kernel
    launch: Launch
    statement: Node


def launches_in_a_row(context: TransformationContext) -> tuple[LaunchStatement, ...] | Obstacle:
    """The only launch of the kernel, and those of other kernels of its file that follow it directly; why its own cannot be read."""
    sites = context.parsed.launch_sites_of(context.kernel)
    first = _statement(context, context.kernel, sites[0]) if len(sites) == 1 else None
    if first is None:
        words = f"{context.kernel.name} would have to be launched by one statement of its file"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    found, following = [first], first.statement.next_named_sibling
    while following is not None:
        if following.type != "comment" and _ASKS_FOR_ERRORS.fullmatch(context.tree.text(following)) is None:
            later = _launch_at(context, following)
            if later is None or not _is_alike(context, first, later) or later.kernel in (each.kernel for each in found):
                break
            found.append(later)
        following = following.next_named_sibling
    return tuple(found)


def _launch_at(context: TransformationContext, statement: Node) -> LaunchStatement | None:
    span = context.tree.span(statement)
    for kernel in context.parsed.kernels:
        for site in context.parsed.launch_sites_of(kernel):
            if span.contains(site.span):
                return _statement(context, kernel, site)
    return None


def _statement(context: TransformationContext, kernel: Kernel, site: LaunchSite) -> LaunchStatement | None:
    launch, node = launch_of(context.tree, site), context.tree.node_at(site.span)
    while node is not None and node.type not in ("expression_statement", "compound_statement"):
        node = node.parent
    is_alone = node is not None and context.tree.text(node).rstrip().rstrip(";").rstrip() == context.text[site.span.start : site.span.end]
    is_listed = node is not None and node.parent is not None and node.parent.type == "compound_statement"
    return LaunchStatement(kernel, launch, node) if launch is not None and node is not None and is_alone and is_listed else None


def _is_alike(context: TransformationContext, one: LaunchStatement, other: LaunchStatement) -> bool:
    """Grid, block, stream; no shared memory."""
    shapes = [
        tuple("".join(part.text.split()) for part in (site.grid, site.block, *((site.stream,) if site.stream is not None else ())))
        for site in (one.launch.site, other.launch.site)
    ]
    shared = (site.shared for site in (one.launch.site, other.launch.site))
    return shapes[0] == shapes[1] and all(each is None or each.text.strip() == "0" for each in shared)
