"""Comms whose messages are heard while a cell runs.

JupyterLab sends what it has to say on a comm to a subshell of the kernel, another thread than the one that runs cells (JEP 91). Example::

    heard_at_once(button.comm)
"""

from __future__ import annotations

from typing import Any, cast

__all__ = ["heard_at_once"]


def heard_at_once(comm: object) -> None:
    """Have the front end choose the thread that hears it, where the kernel would choose another.

    ipykernel 7.4 passes a message on to the subshell from which the comm was last written (``Comm._reply_subshell_for``,
    ``ipykernel/comm/comm.py``). For what a cell made that is the main thread, which hears nothing until the next cell has ended. To go
    when ipykernel lets a comm choose.
    """
    if getattr(comm, "_reply_subshell_for", None) is not None:
        cast("Any", comm)._reply_subshell_for = None
