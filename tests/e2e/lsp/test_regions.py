"""The part of a program that an editor asks the speed of: in a command's arguments, in a setting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Editor
from tests.programs_of_steps import COPIED, SWAPPED

OFF = {"background": {"compile": "off", "verify": "off", "profile": "off"}}


async def judged(editor: Editor, job: str) -> dict[str, Any]:
    """The speed that the job's last comparison reports."""
    await editor.until(lambda: [event for event in editor.events if event["event"] == "job_ended" and event["job"] == job])
    return [event["speed"] for event in editor.events if event["event"] == "comparison" and event["job"] == job][-1]


@pytest.mark.thorough
async def test_a_command_s_region_counts_and_a_misspelt_one_is_said(cli: Cli, open_editor: Start) -> None:
    assert cli.run("trust", cli.folder).code == 0
    editor = await open_editor(settings=OFF)
    document = editor.open(cli.write("steps.cu", SWAPPED))
    answer = await editor.run("kernelopt.verify", uri=document.uri, before=COPIED, region="step")
    speed = await judged(editor, answer["job_id"])
    assert speed["caveats"][0] == "a call of step" and speed["ratio"] > 1.3
    for command, more in (("kernelopt.verify", {"before": COPIED}), ("kernelopt.optimize", {})):
        seen = len(editor.said)
        await editor.run(command, uri=document.uri, region="stp", **more)
        await editor.until(lambda seen=seen: any("no function stp" in message and "step" in message for message in editor.said[seen:]))


@pytest.mark.thorough
async def test_the_setting_counts_where_no_command_says_more(cli: Cli, open_editor: Start) -> None:
    assert cli.run("trust", cli.folder).code == 0
    editor = await open_editor(settings=OFF | {"region": "step"})
    document = editor.open(cli.write("steps.cu", SWAPPED))
    answer = await editor.run("kernelopt.verify", uri=document.uri, before=COPIED)
    assert (await judged(editor, answer["job_id"]))["caveats"][0] == "a call of step"
    answer = await editor.run("kernelopt.verify", uri=document.uri, before=COPIED, region="main")
    assert (await judged(editor, answer["job_id"]))["caveats"][0] == "all that main does on the GPU"
