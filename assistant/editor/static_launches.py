"""Launches that no device accepts, and block sizes that the text gives. Pure.

Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same for every device since 3.0. Example::

    k<<<n, 2048>>>(p);     // KO206
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.constants import integer_constant
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.macros import conditional_macros
from assistant.cuda.names import words_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.editor.view import Note
from assistant.model.launch import Dim3
from assistant.model.profile import Severity
from assistant.model.source import Kernel, ParsedSource

__all__ = ["TextLaunch", "blocks_of", "launch_notes", "launches_in"]

_CODE = "KO206"
_MAX_THREADS = 1024
_MAX_BLOCK = (1024, 1024, 64)
_MAX_GRID = (2**31 - 1, 65535, 65535)
_FREE_SHARED_BYTES = 48 * 1024
"""Dynamic shared memory that a launch gets without ``cudaFuncAttributeMaxDynamicSharedMemorySize``."""
_OPT_IN = frozenset({"cudaFuncSetAttribute", "cuFuncSetAttribute", "cudaFuncAttributeMaxDynamicSharedMemorySize"})
_CONDITIONAL = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"})


class TextLaunch:
    """One launch site with the tree that it stands in."""

    def __init__(self, tree: SyntaxTree, launch: Launch) -> None:
        self.tree = tree
        self.launch = launch
        self.site = launch.site

    @property
    def is_certain(self) -> bool:
        """The text alone decides: neither ``#if`` nor the compiler's command line changes it."""
        node = self.tree.node_at(self.site.span)
        if node is None or node.has_error or any(a.type in _CONDITIONAL for a in self.tree.ancestors(node)):
            return False
        written = " ".join(self._spelled())
        return conditional_macros(self.tree).isdisjoint(words_in(written))

    def _spelled(self) -> Iterator[str]:
        """The configuration, and what its names stand for, one level deep and the function around it at most."""
        yield from (self.site.grid.text, self.site.block.text, "" if self.site.shared is None else self.site.shared.text)
        for component in (*self.launch.grid.components, *self.launch.block.components):
            yield from self._followed(component, 0)

    def _followed(self, node: Node, depth: int) -> Iterator[str]:
        yield self.tree.text(node)
        for name in words_in(self.tree.text(node)) if depth < 4 else ():
            value = self.launch.scope.definition(name)
            if value is not None:
                yield from self._followed(value, depth + 1)


def launches_in(parsed: ParsedSource, trees: Sequence[SyntaxTree]) -> tuple[TextLaunch, ...]:
    """Every launch site that could be read."""
    found: list[TextLaunch] = []
    for site in parsed.launch_sites:
        for tree in trees:
            node = tree.node_at(site.span)
            launch = None if node is None or node.type != "call_expression" else launch_of(tree, site)
            if launch is not None:
                found.append(TextLaunch(tree, launch))
                break
    return tuple(found)


def blocks_of(kernel: Kernel, launches: Sequence[TextLaunch]) -> tuple[Dim3, ...] | None:
    """Blocks of all launches of a kernel; None where the text does not give one of them, or shows no launch."""
    mine = [launch for launch in launches if launch.site.kernel_name.split("::")[-1] == kernel.name]
    blocks = [block_dims(launch.launch) if launch.is_certain else None for launch in mine]
    known = tuple(dict.fromkeys(block for block in blocks if block is not None))
    return known if known and None not in blocks else None


def launch_notes(parsed: ParsedSource, launches: Sequence[TextLaunch]) -> Iterator[Note]:
    """KO206 at each launch that fails whatever the data."""
    for launch in launches:
        reason = _refusal(parsed, launch) if launch.is_certain else None
        if reason is not None:
            yield Note("static", launch.site.line, 0, Severity.ERROR, f"This launch fails: {reason}", "kernelopt", _CODE)


def _refusal(parsed: ParsedSource, launch: TextLaunch) -> str | None:
    """Why every device refuses the launch; None where one may take it."""
    for what, components, limits in (
        ("grid", launch.launch.grid.components, _MAX_GRID),
        ("block", launch.launch.block.components, _MAX_BLOCK),
    ):
        for axis, component, limit in zip("xyz", components, limits, strict=False):
            size = evaluate(component, launch.launch.scope, {})
            if size is not None and size < 1:
                return f"{what}.{axis} is {size}, and must be at least 1"
            if size is not None and size > limit:
                return f"{what}.{axis} is {size:,}, and the limit is {limit:,}"
    block = block_dims(launch.launch)
    if block is not None and block.count > _MAX_THREADS:
        return f"a block of {block.count:,} threads, and the limit is {_MAX_THREADS:,}"
    return _bound_refusal(parsed, launch, block) or _shared_refusal(parsed, launch)


def _bound_refusal(parsed: ParsedSource, launch: TextLaunch, block: Dim3 | None) -> str | None:
    kernels = [k for k in parsed.kernels if k.name == launch.site.kernel_name.split("::")[-1]]
    if block is None or len(kernels) != 1 or not kernels[0].launch_bounds:
        return None
    text = kernels[0].launch_bounds[0]
    names = words_in(text)
    if names & {p.name for p in kernels[0].template_parameters} or names & conditional_macros(launch.tree):
        return None
    bound = integer_constant(launch.tree, text)
    if bound is None or block.count <= bound:
        return None
    return f"a block of {block.count:,} threads, and {kernels[0].name} is compiled for at most {bound:,} (__launch_bounds__)"


def _shared_refusal(parsed: ParsedSource, launch: TextLaunch) -> str | None:
    node = None if launch.site.shared is None else launch.tree.node_at(launch.site.shared.span)
    shared_bytes = None if node is None else evaluate(node, launch.launch.scope, {})
    if shared_bytes is None or shared_bytes <= _FREE_SHARED_BYTES:
        return None
    if _OPT_IN & words_in(parsed.source.text) or _is_passed_on(parsed, launch):
        return None
    return (
        f"{shared_bytes:,} B of dynamic shared memory, and more than {_FREE_SHARED_BYTES:,} B must be allowed first "
        "(cudaFuncSetAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize)"
    )


def _is_passed_on(parsed: ParsedSource, launch: TextLaunch) -> bool:
    """Is the kernel named outside its definition and its launches, as for a helper of another file that allows the memory?"""
    name = launch.site.kernel_name.split("::")[-1]
    tree = launch.tree
    places = [tree.span(n) for n in tree.find("identifier") if tree.text(n) == name]
    known = [*(k.name_span for k in parsed.kernels if k.name == name), *(s.span for s in parsed.launch_sites)]
    return any(not any(span.contains(place) for span in known) for place in places)
