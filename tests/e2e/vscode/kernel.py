"""A notebook's kernel next to the window: what VS Code's Jupyter extension would start, which is on no registry that tests may ask.

Example::

    async with kernel(cli, cli.folder / "lab.ipynb") as run:
        said = await run("%kernelopt status")
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager

from tests.deadlines import HANG_S
from tests.e2e.cli.harness import Cli

__all__ = ["kernel"]

_DEADLINE_S = HANG_S


@contextlib.asynccontextmanager
async def kernel(cli: Cli, notebook: Path) -> AsyncGenerator[Callable[[str], Awaitable[str]]]:
    """Runs cells one by one, and gives what each printed; it knows its notebook as VS Code tells it. Raises where a cell fails."""
    manager: Any = AsyncKernelManager()  # its traits leave the types of its methods open
    await manager.start_kernel(env=cli.environment(), cwd=str(cli.folder))
    client = manager.client()
    client.start_channels()

    async def run(code: str) -> str:
        """What the code prints in the kernel."""
        printed: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        reply = await client.execute_interactive(code, allow_stdin=False, timeout=_DEADLINE_S, output_hook=hear)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(printed)

    try:
        await client.wait_for_ready(_DEADLINE_S)
        await run(f"%load_ext jupyter_ext\n__vsc_ipynb_file__ = {str(notebook)!r}")
        yield run
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
