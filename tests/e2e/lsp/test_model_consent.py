"""An endpoint is asked from an editor only after a person was shown what is sent, where, and what it may cost."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import ScriptedModel, code, plan, step
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Editor
from tests.endpoint.server import ScriptedEndpoint

LONG_S = 600.0
"""A search on a loaded machine."""
OURS = {"protocol": 1, "trusted": True, "supports": ["event"]}


class Person:
    """Lets the program run; answers the question about the model as told."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.shown: list[str] = []

    def __call__(self, question: types.ShowMessageRequestParams) -> str:
        if "language model" not in question.message:
            return "Once"
        self.shown.append(question.message)
        return self.answer


def settings(endpoint: ScriptedEndpoint) -> dict[str, Any]:
    return {
        "planner": "llm",
        "provider": {"kind": "openai", "base_url": endpoint.base_url, "model": "scripted"},
        "background": {"compile": "off", "verify": "off", "profile": "off"},
        "search": {"variants": 1, "beam": 1},
    }


async def optimized(editor: Editor, cli: Cli) -> list[dict[str, Any]]:
    """The events of one search on a fresh copy of an example."""
    document = editor.open(cli.quick())
    job = (await editor.run("kernelopt.optimize", uri=document.uri))["job_id"]
    await editor.until(lambda: any(event["event"] == "job_ended" and event["job"] == job for event in editor.events), LONG_S)
    return [event for event in editor.events if event["job"] == job]


async def test_no_request_leaves_before_a_person_says_yes(cli: Cli, open_editor: Start) -> None:
    model = ScriptedModel([plan(step("shared-tile", 11, "KO101")), plan()], [code(TILED_TRANSPOSE)])
    with ScriptedEndpoint(model) as endpoint:
        editor = await open_editor(settings=settings(endpoint), options=OURS)
        await editor.quiet()  # it has read the settings
        editor.answer = person = Person("Never")
        refused = await optimized(editor, cli)
        assert endpoint.asked == []
        assert len(person.shown) == 1
        assert endpoint.base_url in person.shown[0]
        assert "is sent the source" in person.shown[0]
        assert "up to" in person.shown[0]
        assert any("the expert planner plans" in event["message"] for event in refused if event["event"] == "message")
        assert [event["model"] for event in refused if event["event"] == "proposal"] == [None]


@pytest.mark.thorough
async def test_who_agrees_gets_the_models_edit(cli: Cli, open_editor: Start) -> None:
    model = ScriptedModel([plan(step("shared-tile", 11, "KO101")), plan()], [code(TILED_TRANSPOSE)])
    with ScriptedEndpoint(model) as endpoint:
        editor = await open_editor(settings=settings(endpoint), options=OURS)
        await editor.quiet()
        editor.answer = person = Person("Once")
        told = await optimized(editor, cli)
        assert len(person.shown) == 1
        assert [event["model"] for event in told if event["event"] == "proposal"] == ["scripted-1"]
    assert endpoint.problems == []
