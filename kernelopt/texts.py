"""What a person gives to be compiled: a CUDA text or the path of one, and which of its kernels is meant; messages in words of Python.

Example::

    path, text, is_file = read_text("blur.cu")
    chosen_kernel(parse(Source(path, text)), "blur")
"""

from __future__ import annotations

import re
from pathlib import Path

from assistant.cuda.match import select_kernels
from assistant.errors import UsageError
from assistant.model.source import Kernel, ParsedSource

__all__ = ["chosen_kernel", "in_python", "read_text"]

_KERNEL = "__global__"
_WHAT_TO_GIVE = "give a CUDA text with a __global__ function, or the path of a .cu file"
_NOT_OF_PATHS = "\n;{"
"""What is written in code and hardly in the name of a file."""
_OPTION = re.compile(r"--(device|planner)(?: (?!takes )([\w:]*\w))?")


def read_text(source: str | Path) -> tuple[Path, str, bool]:
    """(path, text, whether the path is a file's). Raises UsageError for what is neither a text with a kernel nor a readable file."""
    if not isinstance(source, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may have no type checker
        raise UsageError(f"compile takes a CUDA text or a path, got {type(source).__name__}", _WHAT_TO_GIVE)
    if isinstance(source, str) and _KERNEL in source:
        return Path.cwd() / "kernelopt.cu", source, False
    if isinstance(source, str) and (not source.strip() or any(mark in source for mark in _NOT_OF_PATHS)):
        raise UsageError("the text holds no __global__ function" if source.strip() else "the text is empty", _WHAT_TO_GIVE)
    path = Path(source).absolute()
    try:
        return path, path.read_text("utf-8"), True
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(f"cannot read {str(source)!r}: {reason}", _WHAT_TO_GIVE) from error


def chosen_kernel(parsed: ParsedSource, selector: str | None) -> Kernel:
    """Raises UsageError where none, or several, could be meant, as the instances of a template are."""
    found = select_kernels(parsed, selector) if selector is not None else parsed.kernels
    names = ", ".join(kernel.key for kernel in parsed.kernels)
    if not parsed.kernels:
        raise UsageError("the text holds no __global__ function", "give a text with a kernel")
    if len(found) != 1:
        which = "kernels" if selector is None else f"kernels that {selector!r} may mean"
        raise UsageError(f"{len(found) or 'no'} {which}; the text has {names}", 'name one: kernelopt.compile(text, "name")')
    open_parameters = [parameter.name for parameter in found[0].template_parameters if parameter.default is None]
    if open_parameters and "<" not in (selector or ""):
        message = f"{found[0].name} is a template over {', '.join(open_parameters)}"
        raise UsageError(message, f'name the instance: kernelopt.compile(text, "{found[0].name}<…>")')
    return found[0]


def in_python(words: str) -> str:
    """With options of the command line as arguments: ``device="gpu:0"`` for ``--device gpu:0``."""
    return _OPTION.sub(lambda found: f'{found[1]}="{found[2]}"' if found[2] else found[1], words)
