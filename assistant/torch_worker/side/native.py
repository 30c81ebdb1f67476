# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Extensions on a GPU: built by PyTorch and nvcc, and run where they are called.

Stands where `extensions.Extensions` stands without a GPU, so that a candidate is run the same way on both.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from assistant.torch_worker.side.failures import SideError

__all__ = ["NativeExtensions"]

_ERROR = re.compile(r"^.*?\b(?:fatal )?error\b.*$", re.MULTILINE | re.IGNORECASE)
_SHOWN_CHARACTERS = 300


class NativeExtensions:
    """Every extension that the candidate asks for."""

    is_pending = False
    call_count = 0
    """Calls are not counted: the kernels that they start are (`trace`)."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.texts: list[str] = []
        """Files that were loaded besides the candidate's own."""

    def at(self, place: int) -> None:
        """Every call is answered at once, whatever it belongs to."""

    def write_calls(self) -> list[list[str]]:
        """None is left to be answered."""
        return []

    def install(self) -> None:
        """For the rest of this process an extension that does not compile is an error of its own kind."""
        from torch.utils import cpp_extension

        load, load_inline = cpp_extension.load, cpp_extension.load_inline

        def loaded(name: str, sources: Any, *values: Any, **named: Any) -> Any:
            paths: list[Any] = [sources] if isinstance(sources, (str, Path)) else list(sources)
            for path in paths:
                self.texts.append(Path(path).read_text("utf-8", "replace"))
            return _built(name, lambda: load(name, [str(path) for path in paths], *values, **named))

        cpp_extension.load = loaded
        cpp_extension.load_inline = lambda name, *values, **named: _built(name, lambda: load_inline(name, *values, **named))


def _built(name: str, build: Any) -> Any:
    try:
        return build()
    except (RuntimeError, subprocess.CalledProcessError, ImportError) as error:
        text = str(error)
        first = _ERROR.search(text.partition("\n")[2])
        words = " ".join((first[0] if first else text).split())[:_SHOWN_CHARACTERS]
        raise SideError("not_built", f"the extension {name} does not compile: {words}") from error
