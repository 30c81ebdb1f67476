"""``kernelopt init``: workload blocks to start from, each put before the kernel it is for."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.code_patterns import CodePattern
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.type_aliases import spelled_out, type_aliases
from assistant.engine.files import replace_text
from assistant.engine.source_version import read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, ParsedSource
from assistant.record import Record
from assistant.workload.blocks import workload_blocks
from assistant.workload.init import write_block

__all__ = ["NewBlock", "initialized", "initialized_text"]

_OF_PYTORCH = CodePattern(r"\b(?:torch|at|c10)::")
_RECORD = "give the file a main() that launches the kernel: recorded launches hold any type"


class NewBlock(Record):
    """One block or several, and the text that would hold them."""

    path: Path
    names: tuple[str, ...]
    """Names of the kernels that they are for."""
    block: str
    """All of them, in the order of the source."""
    text: str
    unfilled: tuple[str, ...]
    """What the person must fill in before the blocks can be used, in words."""
    left_out: tuple[str, ...] = ()
    """Kernels that got none, in words."""

    def write(self) -> None:
        """Put it into the file; raises CannotAnswerError where that is not possible."""
        replace_text(self.path, self.text)


def initialized(path: Path, selector: str | None) -> NewBlock:
    """A block for each selected kernel; None: for every kernel.

    Raises UsageError where there is no such kernel or a block is there, CannotAnswerError where no block can hold the arguments.
    """
    return initialized_text(parse(read_source(path)), selector)


def initialized_text(parsed: ParsedSource, selector: str | None) -> NewBlock:
    """The same for a text that need not be on disk. Raises as ``initialized`` does."""
    source, path = parsed.source, parsed.source.path
    selected = parsed.kernels if selector is None else select_kernels(parsed, selector)
    if not selected:
        names = ", ".join(kernel.key for kernel in parsed.kernels) or "none"
        raise UsageError(f"{path} has no kernel that could be meant", f"choose one with --kernel: {names}")
    if workload_blocks(source.text):
        raise UsageError(f"{path} already declares a workload", "edit the block that is there")
    aliases = type_aliases(source.text)
    kernels = tuple({kernel.name: spelled_out(kernel, aliases) for kernel in reversed(selected)}.values())[::-1]
    refused = {kernel.name: reason for kernel in kernels if (reason := _unfit_arrays(kernel) or _unfit_tensors(kernel))}
    fit = [kernel for kernel in kernels if kernel.name not in refused]
    if not fit:
        raise CannotAnswerError(f"{path}: {next(iter(refused.values()))}", _RECORD)
    blocks = {kernel: write_block(source.text, kernel, next(iter(parsed.launch_sites_of(kernel)), None)) for kernel in fit}
    twice = (kernel.key for kernel in selected if all(kernel.span != kept.span for kept in kernels))
    return NewBlock(
        path,
        names=tuple(kernel.name for kernel in fit),
        block="\n".join(blocks.values()),
        text=_with_blocks(source.text, blocks),
        unfilled=tuple(text for kernel in fit for text in _unfilled(kernel)),
        left_out=(*(f"{why}; {_RECORD}" for why in refused.values()), *(f"{key}: another kernel has its name" for key in twice)),
    )


def _with_blocks(text: str, blocks: dict[Kernel, str]) -> str:
    """Each before its kernel."""
    for kernel, block in reversed(blocks.items()):
        start = text.rfind("\n", 0, kernel.span.start) + 1
        text = f"{text[:start]}{block.rstrip()}\n\n{text[start:]}"
    return text


def _unfit_arrays(kernel: Kernel) -> str:
    """Why a block could not be used; empty where it could: arrays of structures cannot be declared."""
    bad = [p for p in kernel.parameters if p.is_pointer and not _is_known(kernel, p.element_type or "")]
    names = " and ".join(f"{p.name} ({p.type})" for p in bad)
    return f"a workload block cannot hold {names} of {kernel.name}: arrays of that type are not supported" if bad else ""


def _unfit_tensors(kernel: Kernel) -> str:
    """The same for PyTorch's own types, which say sizes and strides that the emulator does not know."""
    names = " and ".join(f"{p.name} ({p.type})" for p in kernel.parameters if _OF_PYTORCH.is_in(p.type))
    return f"a workload block cannot hold {names} of {kernel.name}: give the kernel pointers and sizes" if names else ""


def _unfilled(kernel: Kernel) -> tuple[str, ...]:
    by_value = (p for p in kernel.parameters if not p.is_pointer and not _is_known(kernel, p.type))
    return tuple(f"{p.name} = 0 is a placeholder for a {p.type}: write a table of its fields, {{ field = value, … }}" for p in by_value)


def _is_known(kernel: Kernel, spelled: str) -> bool:
    plain = spelled.removeprefix("const ").strip()
    return kernel.has_type_parameter(plain) or parse_element_type(plain) is not None
