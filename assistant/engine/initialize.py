"""``kernelopt init``: a workload block to start from, put before the kernel it is for."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.engine.files import replace_text
from assistant.engine.source_version import read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, ParsedSource
from assistant.record import Record
from assistant.workload.blocks import find_blocks
from assistant.workload.init import write_block

__all__ = ["NewBlock", "initialized", "initialized_text"]


class NewBlock(Record):
    """A block and the text that would hold it."""

    path: Path
    name: str
    block: str
    text: str
    unfilled: tuple[str, ...]
    """What the person must fill in before the block can be used, in words."""

    def write(self) -> None:
        """Put it into the file; raises CannotAnswerError where that is not possible."""
        replace_text(self.path, self.text)


def initialized(path: Path, selector: str | None) -> NewBlock:
    """A block for the selected kernel, or the only one.

    Raises UsageError where the choice is not clear or a block is there, CannotAnswerError where no block can hold the arguments.
    """
    return initialized_text(parse(read_source(path)), selector)


def initialized_text(parsed: ParsedSource, selector: str | None) -> NewBlock:
    """The same for a text that need not be on disk. Raises as ``initialized`` does."""
    source, path = parsed.source, parsed.source.path
    kernels = parsed.kernels if selector is None else select_kernels(parsed, selector)
    if len(kernels) != 1:
        names = ", ".join(kernel.key for kernel in parsed.kernels) or "none"
        raise UsageError(f"{path} has {len(kernels)} kernels that could be meant", f"choose one with --kernel: {names}")
    if find_blocks(source.text):
        raise UsageError(f"{path} already declares a workload", "edit the block that is there")
    kernel = kernels[0]
    _check_arrays(kernel, path)
    block = write_block(source.text, kernel, next(iter(parsed.launch_sites_of(kernel)), None))
    start = source.text.rfind("\n", 0, kernel.span.start) + 1
    text = f"{source.text[:start]}{block.rstrip()}\n\n{source.text[start:]}"
    return NewBlock(path, kernel.name, block, text, _unfilled(kernel))


def _check_arrays(kernel: Kernel, path: Path) -> None:
    """Arrays of structures cannot be declared: a block would only look as if it could be used."""
    bad = [p for p in kernel.parameters if p.is_pointer and not _is_known(kernel, p.element_type or "")]
    if bad:
        names = " and ".join(f"{p.name} ({p.type})" for p in bad)
        raise CannotAnswerError(
            f"{path}: a workload block cannot hold {names} of {kernel.name}: arrays of that type are not supported",
            "give the file a main() that launches the kernel: recorded launches hold any type",
        )


def _unfilled(kernel: Kernel) -> tuple[str, ...]:
    by_value = (p for p in kernel.parameters if not p.is_pointer and not _is_known(kernel, p.type))
    return tuple(f"{p.name} = 0 stands for a {p.type}: write a table of its fields, {{ field = value, … }}" for p in by_value)


def _is_known(kernel: Kernel, spelled: str) -> bool:
    plain = spelled.removeprefix("const ").strip()
    is_argument = any(p.name == plain and p.kind in ("typename", "class") for p in kernel.template_parameters)
    return is_argument or parse_element_type(plain) is not None
