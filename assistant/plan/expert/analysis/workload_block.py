"""The grid and block that a ``/* kernelopt … */`` comment declares, or the line of a notebook's cell, as places in the text.

The line of a cell is the launch itself: an edit of it is whole. Of comments, only lists of the form ``grid = ["ceil(n/32)", 4]`` are
found; what a sidecar file declares is not in the text. Where no file of the program launches it, a kernel is judged by what a comment
declares while its real launch is in code that is not visible here: an edit of the declaration is advice then, which ``launch_elsewhere``
says and ``guessed_launch`` withholds.

Example::

    [item.text for item in declared_shapes(context)[0].grid]   # ['"ceil(n/32)"', '"ceil(n/32)"']
"""

from __future__ import annotations

import re

from assistant.cuda.embedded.cell_launch import launch_items, plain
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import Expression, Kernel, Span
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import extent_of, of_program
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = [
    "DeclaredShape",
    "declared_blocks",
    "declared_shapes",
    "guessed_launch",
    "launch_elsewhere",
    "launch_labels",
    "launched_with",
    "shapes_in",
]

_BLOCK = re.compile(r"/\*\s*kernelopt\b(?P<toml>.*?)\*/", re.DOTALL)
_SECTION = re.compile(r"^\s*\[workload\.(?P<name>[\w-]+)\]\s*$(?P<body>.*?)(?=^\s*\[workload\.[\w-]+\]|\Z)", re.DOTALL | re.MULTILINE)
_KERNEL = re.compile(r"^\s*kernel\s*=\s*\"(?P<name>[^\"]*)\"", re.MULTILINE)
_LIST = r"^\s*{key}\s*=\s*\[(?P<items>[^\]]*)\]"
_GUESSED = re.compile(r"^\s*(?:grid|block)\s*=.*#\s*guessed\b", re.MULTILINE)
"""The remark that ``kernelopt init`` puts behind a launch shape that it could not read anywhere."""
_ITEM = re.compile(r"\"[^\"]*\"|[^\s,]+")
_OF_CELL = "of the cell"


class DeclaredShape(Record):
    """One declared workload of a kernel."""

    name: str
    grid: tuple[Expression, ...]
    """Items as written, quotes included; empty when the block gives none in this form."""
    block: tuple[Expression, ...]
    is_guessed: bool = False
    """Marked ``# guessed``: written by ``kernelopt init``, not confirmed by a person."""
    is_of_cell: bool = False
    """Given by the magic's line of a notebook's cell."""
    shared: tuple[Expression, ...] = ()
    """Dynamic shared memory in bytes; of a cell alone."""

    def written(self, text: str) -> str:
        """A new item without quotes, as the place that it goes to takes it."""
        return (plain(text) or text) if self.is_of_cell else text


def declared_shapes(context: TransformationContext) -> tuple[DeclaredShape, ...]:
    """The launch of a cell, and every ``[workload.NAME]`` of the text that is about the context's kernel."""
    return shapes_in(context.text, context.kernel)


def shapes_in(text: str, kernel: Kernel) -> tuple[DeclaredShape, ...]:
    """The launch of a cell, and every ``[workload.NAME]`` of ``text`` that is about the kernel."""
    found: list[DeclaredShape] = []
    cell = launch_items(text)
    if cell is not None and (cell.kernel is None or _is_about(kernel, cell.kernel)):
        found.append(DeclaredShape(_OF_CELL, cell.grid, cell.block, is_of_cell=True, shared=cell.shared))
    for comment in _BLOCK.finditer(text):
        for section in _SECTION.finditer(comment["toml"]):
            start = comment.start("toml") + section.start("body")
            named = _KERNEL.search(section["body"])
            if _is_about(kernel, section["name"] if named is None else named["name"]):
                grid, block = _items(section["body"], "grid", start), _items(section["body"], "block", start)
                is_guessed = _GUESSED.search(section["body"]) is not None
                found.append(DeclaredShape(section["name"], grid, block, is_guessed))
    return tuple(found)


def declared_blocks(context: TransformationContext) -> tuple[Dim3, ...]:
    """Every block that is declared for the kernel; none where one is not made of numbers."""
    blocks = [[item.text for item in shape.block] for shape in declared_shapes(context)]
    if any(not texts or not all(text.isdigit() for text in texts) for texts in blocks):
        return ()
    return tuple(dict.fromkeys(Dim3(*(int(text) for text in texts)) for texts in blocks))


def guessed_launch(context: TransformationContext) -> Obstacle | None:
    """Why no launch shape is advised: the one that the kernel would be judged by was guessed. None where it is known."""
    guessed = next((shape for shape in declared_shapes(context) if shape.is_guessed), None)
    if guessed is None or _is_launched(context):
        return None
    return Obstacle(
        DeclineReason.LAUNCH_GUESSED,
        f"the workload {guessed.name} only guesses grid and block, and your own launch is not in this {extent_of(context)}: "
        "write down how it launches the kernel and take the remark `# guessed` away",
    )


def launch_elsewhere(context: TransformationContext, change: str) -> tuple[str, ...]:
    """The assumption of an edit whose launch (``blocks of 32 threads``) is only declared; empty where the program itself launches."""
    return () if _is_launched(context) else (launched_with(context.kernel, change),)


def launch_labels(context: TransformationContext, elsewhere: tuple[str, ...]) -> tuple[Label, ...]:
    """Labels of an edit of launches, of which ``launch_elsewhere`` says ``elsewhere``: none where the line of a cell launches alone."""
    if elsewhere:
        return (Label.ASSUMPTION,)
    return () if _is_of_cell(context) else (Label.HOST_CODE,)


def launched_with(kernel: Kernel, change: str) -> str:
    """What must hold where only a declared launch was changed."""
    return f"your own code launches {kernel.name} with {change}: this file only declares a launch, so change yours accordingly"


def _is_launched(context: TransformationContext) -> bool:
    return bool(of_program(context).parsed.launch_sites_of(context.kernel)) or _is_of_cell(context)


def _is_of_cell(context: TransformationContext) -> bool:
    """The line of a cell launches it, and nothing else."""
    is_launched = bool(of_program(context).parsed.launch_sites_of(context.kernel))
    return not is_launched and any(shape.is_of_cell for shape in declared_shapes(context))


def _is_about(kernel: Kernel, selector: str) -> bool:
    name = re.split(r"[<(]", selector)[0].strip()
    return name in {kernel.name, kernel.qualified_name}


def _items(body: str, key: str, offset: int) -> tuple[Expression, ...]:
    found = re.search(_LIST.format(key=key), body, re.MULTILINE)
    if found is None:
        return ()
    start = offset + found.start("items")
    return tuple(Expression(m[0], Span(start + m.start(), start + m.end())) for m in _ITEM.finditer(found["items"]))
