"""Files that change outside the editor, for clients that do not watch them."""

from __future__ import annotations

import asyncio

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import bare
from tests.e2e.lsp.programs import HALVE

COMPILE = {"background": {"compile": "on_type", "verify": "off", "profile": "off", "pause_s": 0.05}}


async def test_a_header_that_changes_on_disk_has_its_users_looked_at_again(cli: Cli, open_editor: Start) -> None:
    header = cli.write("factor.cuh", "#define FACTOR 2.0f\n")
    text = '#include "factor.cuh"\n' + HALVE.replace("{", "{ float factor = FACTOR; (void)factor;", 1)
    editor = await open_editor(capabilities=bare(), settings=COMPILE, folders=(cli.folder,))
    document = editor.open(cli.write("user.cu", text))
    await editor.quiet()
    assert editor.errors(document) == []
    await asyncio.to_thread(header.write_text, "#define FACTOR missing_name\n")
    (error,) = await editor.until(lambda: editor.errors(document))
    assert "missing_name" in error.message
    await asyncio.to_thread(header.write_text, "#define FACTOR 3.0f\n")
    await editor.until(lambda: not editor.errors(document))
