"""Registers the magics with a shell, and ends what they began with it.

``%%cu`` and ``%%cuda`` are taken over only where no other extension has them.
"""

from __future__ import annotations

import atexit
from typing import Any, cast

from IPython.core.interactiveshell import InteractiveShell

from assistant.live.callables import KernelOfCell
from jupyter_ext.completing import IDENTIFIER, matcher
from jupyter_ext.magic import KernelOptMagics

__all__ = ["load", "unload"]

_FOREIGN = ("cu", "cuda")
"""Cell magics of nvcc4jupyter and its like, whose cells work as they are."""


def load(shell: InteractiveShell, kernel_of: KernelOfCell | None = None) -> None:
    """Once for each shell; a second time changes nothing. ``kernel_of``: see `KernelOptMagics`."""
    if _loaded(shell) is not None:
        return
    magics = KernelOptMagics(shell, kernel_of)
    untyped: Any = shell  # IPython's annotations leave its members' types open
    untyped.register_magics(magics)
    for name in _FOREIGN:
        if untyped.find_cell_magic(name) is None:
            untyped.register_magic_function(magics.foreign_cell, "cell", name)
    atexit.register(magics.close)
    untyped.Completer.custom_matchers.append(matcher())
    for name in ("%kernelopt", "%%kernelopt"):
        untyped.set_hook("complete_command", _completed, str_key=name)


def unload(shell: InteractiveShell) -> None:
    """The magics stay known to the shell, as IPython cannot forget them; what they began ends."""
    magics = _loaded(shell)
    if magics is not None:
        atexit.unregister(magics.close)
        magics.close()
        shell.magics_manager.registry.pop(KernelOptMagics.__name__, None)
        matchers: list[Any] = cast("Any", shell).Completer.custom_matchers
        matchers[:] = [one for one in matchers if getattr(one, "matcher_identifier", None) != IDENTIFIER]


def _loaded(shell: InteractiveShell) -> KernelOptMagics | None:
    found = shell.magics_manager.registry.get(KernelOptMagics.__name__)
    return found if isinstance(found, KernelOptMagics) else None


def _completed(shell: object, event: object) -> list[str]:
    """Options, verbs and the user's variables behind the magic's name; ``event`` is IPython's, which carries the line."""
    variables = (name for name in getattr(shell, "user_ns", {}) if not name.startswith("_"))
    return [*KernelOptMagics.completions(str(getattr(event, "line", ""))), *variables]
