"""The editor's own model plans a search: asked in a job that was started by name, answered in pieces, cancelled with the job."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import EXPLANATION, code, plan, step
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor

NO_BACKGROUND = {"compile": "off", "verify": "off", "profile": "off"}
SETTINGS: dict[str, Any] = {
    "planner": "llm",
    "provider": {"kind": "editor"},
    "background": NO_BACKGROUND,
    "search": {"variants": 1, "beam": 1},
}
OURS = {"protocol": 1, "trusted": True, "supports": ["event", "model"]}
REQUEST_FAILED = -32803


class Model:
    """What the editor's extension does with a chat model."""

    def __init__(self, editor: Editor) -> None:
        self.asked: list[Any] = []
        self.refusal: str | None = None
        self.is_silent = False
        self.is_cancelled = False
        self._plans = [plan(step("shared-tile", 11, "KO101")), plan()]
        self._editor = editor

        @editor.client.feature("kernelopt/model/complete")
        async def complete(asked: Any) -> dict[str, Any]:
            """The client's answer to a request for a completion."""
            self.asked.append(asked)
            if self.refusal is not None:
                raise JsonRpcException("no", REQUEST_FAILED, {"kind": self.refusal})
            if self.is_silent:
                await self._wait()
            return self._answer(asked)

    async def _wait(self) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise

    def _answer(self, asked: Any) -> dict[str, Any]:
        answers = {"coder": code(TILED_TRANSPOSE), "summariser": json.dumps(EXPLANATION)}
        text = answers.get(asked.role) or self._plans.pop(0)
        for start in range(0, len(text), 200):
            piece = types.ProgressParams(asked.request_id, {"text": text[start : start + 200]})
            self._editor.client.protocol.notify(types.PROGRESS, piece)
        return {"text": text, "model_id": "editors-own-1", "input_tokens": 900, "output_tokens": 80}


async def opened(open_editor: Start, cli: Cli, **more: Any) -> tuple[Editor, Document, Model]:
    editor = await open_editor(**{"settings": SETTINGS, "options": OURS} | more)
    await editor.quiet()  # it has read the settings
    return editor, editor.open(cli.quick()), Model(editor)


async def ended(editor: Editor, document: Document) -> dict[str, Any]:
    """The end of an optimize that is started here."""
    job = (await editor.run("kernelopt.optimize", uri=document.uri))["job_id"]
    return await editor.until(lambda: next((event for event in events(editor, "job_ended") if event["job"] == job), None))


def events(editor: Editor, name: str) -> list[dict[str, Any]]:
    return [event for event in editor.events if event["event"] == name]


async def test_the_editors_model_plans_writes_and_explains(cli: Cli, open_editor: Start) -> None:
    editor, document, model = await opened(open_editor, cli)
    end = await ended(editor, document)
    assert end["exit_code"] == 0, editor.state()
    assert {asked.role for asked in model.asked} == {"planner", "coder", "summariser"}
    assert document.text.splitlines()[10].strip() in "\n".join(message.text for message in model.asked[0].messages)
    calls = events(editor, "model_call")
    assert len(calls) == len(model.asked)
    assert {(call["provider"], call["model"], call["outcome"], call["input_token_count"]) for call in calls} == {
        ("editor", "editors-own-1", "answered", 900)
    }
    (proposal,) = events(editor, "proposal")
    assert proposal["model"] == "editors-own-1" and proposal["verification"]["outcome"] == "PASS"


@pytest.mark.thorough
async def test_cancelling_the_job_cancels_the_question(cli: Cli, open_editor: Start) -> None:
    editor, document, model = await opened(open_editor, cli)
    model.is_silent = True
    job = (await editor.run("kernelopt.optimize", uri=document.uri))["job_id"]
    await editor.until(lambda: model.asked)
    await editor.run("kernelopt.job.cancel", job_id=job)
    await editor.until(lambda: model.is_cancelled)
    await editor.quiet()


@pytest.mark.thorough
async def test_a_refusal_is_reported_and_nothing_is_proposed_by_a_model(cli: Cli, open_editor: Start) -> None:
    editor, document, model = await opened(open_editor, cli)
    model.refusal = "no_consent"
    await ended(editor, document)
    assert {call["outcome"] for call in events(editor, "model_call")} == {"no_consent"}
    assert all(proposal["model"] is None for proposal in events(editor, "proposal"))


@pytest.mark.thorough
async def test_background_work_never_asks(cli: Cli, open_editor: Start) -> None:
    settings = SETTINGS | {"background": {}}
    editor, document, model = await opened(open_editor, cli, settings=settings)
    await editor.until(lambda: "KO101" in editor.codes(document))
    await editor.quiet()
    assert model.asked == []
