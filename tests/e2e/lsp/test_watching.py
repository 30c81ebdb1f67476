"""Files that change outside the editor, for clients that do not watch them."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.capabilities import bare
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.programs import HALVE

COMPILE = {"background": {"compile": "on_type", "verify": "off", "profile": "off", "pause_s": 0.05}}


@pytest.mark.thorough
async def test_a_header_that_changes_on_disk_has_its_users_looked_at_again(cli: Cli, open_editor: Start) -> None:
    header = cli.write("factor.cuh", "__device__ float factor() { return 2.0f; }\n")
    cli.write("between.cuh", '#include "factor.cuh"\n')
    text = HALVE.replace("#include <cstdio>", '#include <cstdio>\n#include "between.cuh"').replace("0.5f", "factor()")
    editor = await open_editor(capabilities=bare(), settings=COMPILE, folders=(cli.folder,))
    document = editor.open(cli.write("user.cu", text))
    await editor.quiet()
    assert editor.errors(document) == []
    await asyncio.to_thread(header.write_text, "__device__ float factor() { return missing_name; }\n")
    (error,) = await editor.until(lambda: editor.errors(document))
    assert "missing_name" in error.message
    assert error.range.start.line == document.line_of('#include "between.cuh"')
    await asyncio.to_thread(header.write_text, "__device__ float factor() { return 3.0f; }\n")
    await editor.until(lambda: not editor.errors(document))
