"""A server that tests fork (`forked.py`) says what one says that is started as an editor starts it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.e2e.cli.harness import Cli, no_orphans
from tests.e2e.lsp.editor import start
from tests.e2e.lsp.programs import HALVE

IN_FRONT = {"background": {"verify": "off", "profile": "off"}}
"""What is compiled in the background is a job in a process of its own."""


async def said(cli: Cli) -> dict[str, Any]:
    """What an editor gets to see of a file with a mistake, of one without, and of the server's end."""
    with no_orphans():
        editor = await start(cli, settings=IN_FRONT)
        right, wrong = editor.open(cli.write("halve.cu", HALVE)), editor.open(cli.write("wrong.cu", HALVE.replace("0.5f", "missing")))
        await editor.until(lambda: editor.errors(wrong))
        await editor.quiet()
        seen = {
            "offered": editor.result,
            "titles": await editor.titles(right),
            "hints": await editor.hints(right),
            "hover": await editor.hover(right, right.line_of("__global__"), 20),
            "notes": [editor.diagnostics(each) for each in (right, wrong)],
            "messages": editor.said + editor.logged,
        }
        return seen | {"ended with": await editor.stop(), "stderr": editor.stderr}


async def test_a_server_answers_alike_forked_and_started(cli: Cli) -> None:
    forked = await said(cli)
    assert forked == await said(replace(cli.with_new_memory(), is_loaded=False))
    assert forked["notes"][1] and forked["titles"] and forked["hover"] and forked["ended with"] == 0
