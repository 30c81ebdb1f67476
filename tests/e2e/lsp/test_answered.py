"""What a person asked for by name is answered: whatever the editor says to a question, and whatever cannot be read."""

from __future__ import annotations

from lsprotocol import types

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import NO_ANSWER
from tests.e2e.lsp.programs import HALVE

ON_COMMAND = {"background": {"compile": "off", "verify": "off", "profile": "off"}}


def cannot_ask(_: types.ShowMessageRequestParams) -> str | None:
    raise RuntimeError("this editor has no such window")


async def test_no_wish_ends_without_a_word(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=ON_COMMAND, answer=cannot_ask)
    document = editor.open(cli.write("halve.cu", HALVE))

    await editor.run("kernelopt.check", uri=document.uri)
    await editor.until(lambda: [message for message in editor.said if "no consent was given" in message])

    editor.answer = lambda question: NO_ANSWER
    job_id = (await editor.run("kernelopt.check", uri=document.uri))["job_id"]
    await editor.until(lambda: len(editor.asked) == 2)
    (job,) = await editor.jobs()
    assert job["job_id"] == job_id and not job["is_running"] and "your consent" in job["waits_for"]
    assert await editor.run("kernelopt.job.cancel", job_id=job_id) == {"is_cancelled": True}
    assert await editor.jobs() == []
    assert await editor.run("kernelopt.job.cancel", job_id=job_id) == {"is_cancelled": False}

    (cli.home / "trust.json").mkdir()
    await editor.run("kernelopt.check", uri=document.uri)
    await editor.until(lambda: [message for message in editor.said if "trust.json cannot be read" in message])
    assert await editor.jobs() == [] and all(event["event"] == "job_ended" for event in editor.events)
