"""Work for workers of tests: it says who did it, waits for a file, fails, or kills its worker."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

from assistant.cluster import WorkItem, answered
from assistant.disk.lines import append_line
from assistant.errors import UsageError
from assistant.live.loop import BackgroundLoop

__all__ = ["carry_out", "item"]

_LOOP = BackgroundLoop()


def item(kind: str, number: int, log: Path) -> WorkItem:
    return WorkItem(kind, json.dumps({"number": number, "log": str(log)}))


def carry_out(payload: bytes) -> bytes:
    return answered(payload, _LOOP.submit, _work)


async def _work(item: WorkItem) -> str:
    about = json.loads(item.about)
    log = Path(about["log"])
    append_line(log, f"begun {about['number']} {os.getpid()}")
    match item.kind:
        case "wait":
            try:
                while not log.with_suffix(".go").exists():  # noqa: ASYNC110 - another process makes it
                    await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                append_line(log, f"cancelled {about['number']} {os.getpid()}")
                raise
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "fail":
            raise OSError("no space left")
        case "refuse":
            raise UsageError("this makes no sense", "ask for something else")
        case _:
            pass
    append_line(log, f"ended {about['number']} {os.getpid()}")
    return json.dumps(about["number"])
