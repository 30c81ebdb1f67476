"""Launches of a header's kernel in programs that no edit reaches: those that include the header, too.

Example::

    left_behind(context, rewrite)     # an Obstacle: bench.cu launches the kernel as well; None where the launch stays
    other_block(context, block)       # an Obstacle: bench.cu launches it with blocks of 8 x 8 threads
"""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.functions import function_declarator, functions
from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree, kept
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason, Rewrite
from assistant.model.source import Kernel, Source, Span, TextEdit
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["left_behind", "other_block"]


def left_behind(context: TransformationContext, rewrite: Rewrite) -> Obstacle | None:
    """Why an edit would break another program: it changes how this one launches the kernel, and that one would launch it as before."""
    launching = next((path.name for path, _ in _launches(context.tree, context.kernel, context.elsewhere)), None)
    is_launch_edited = bool(rewrite.in_others) or any(_is_of_launch(context, edit) for edit in rewrite.edits)
    if launching is None or not is_launch_edited:
        return None
    words = f"it would change how this program launches {context.kernel.name}, which {launching} of another program launches as well"
    return Obstacle(DeclineReason.USED_ELSEWHERE, f"{words}: both would have to change")


def other_block(context: TransformationContext, block: Dim3) -> Obstacle | None:
    """Why a kernel cannot be written for the block that this program launches it with; None where all programs have that block."""
    for path, launch in _launches(context.tree, context.kernel, context.elsewhere):
        other, who = block_dims(launch), f"{path.name} of another program launches {context.kernel.name}"
        if other is None:
            return Obstacle(DeclineReason.USED_ELSEWHERE, f"{who} with a block that the text does not tell")
        if other != block:
            shape = " x ".join(str(edge) for edge in (other.x, other.y, other.z)[: 3 if other.z > 1 else 2 if other.y > 1 else 1])
            words = f"{who} with blocks of {shape} threads, and the edit would have to fit them too"
            return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    return None


@kept
def _launches(tree: SyntaxTree, kernel: Kernel, elsewhere: tuple[Source, ...]) -> tuple[tuple[Path, Launch], ...]:
    """(file, launch) of each launch of the kernel in files of other programs; constants of the kernel's own file are known there."""
    found: list[tuple[Path, Launch]] = []
    for source in elsewhere:
        if kernel.name not in source.text or "<<<" not in source.text:
            continue
        both = SyntaxTree(tree.source, others=(source,)).program
        sites = parse(Source(source.path, both.source)).launch_sites_of(kernel)
        launches = (launch_of(both, site) for site in sites if both.file_at(site.span)[0] is not None)
        found += [(source.path, launch) for launch in launches if launch is not None]
    return tuple(found)


def _is_of_launch(context: TransformationContext, edit: TextEdit) -> bool:
    """Whether an edit of the kernel's file changes host code or a constant; device code and new functions are no launch."""
    tree = context.tree
    every = functions(tree)
    device = [function.span for function in every if function.is_kernel or function.is_device]
    constants = (node for node in tree.find("preproc_def", "declaration") if function_declarator(node) is None)
    spans = (*(f.span for f in every if f.span not in device), *(span for node in constants if not _is_in(span := tree.span(node), device)))
    return any(span.overlaps(edit.span) or span.contains(edit.span) for span in spans)


def _is_in(span: Span, spans: list[Span]) -> bool:
    return any(each.contains(span) for each in spans)
