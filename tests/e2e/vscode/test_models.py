"""The editor's own language model, and the harness for its agents: a chat model of another extension, and VS Code's own MCP client."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import EXPLANATION, code, plan, step
from tests.e2e.vscode.code_server import CodeServer, install
from tests.e2e.vscode.companion import MODEL_NAME, Script, packed
from tests.e2e.vscode.conftest import OpenWindow, Settings
from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def _companion(cli: Cli, served: CodeServer, tmp_path_factory: pytest.TempPathFactory) -> None:  # pyright: ignore[reportUnusedFunction]
    """Windows that are opened from now on have a chat model."""
    install(cli, served.data, packed(tmp_path_factory.mktemp("companion")))


@pytest.fixture
def script(_companion: None, tmp_path: Path, user_settings: Settings) -> Script:
    """What the model answers: a plan of one step, its code, its explanation, and then no further step."""
    answers = {
        "Plan how to make": [plan(step("shared-tile", 11, "KO101")), plan()],
        "Rewrite the CUDA kernel": [code(TILED_TRANSPOSE)],
        "Explain a change": [json.dumps(EXPLANATION)],
    }
    written = Script(tmp_path, answers)
    user_settings(
        {
            "scriptedModel.script": str(written.path),
            "kernelopt.planner": "llm",
            "kernelopt.provider.kind": "editor",
            "kernelopt.search.variants": 1,
            "kernelopt.search.beam": 1,
        }
    )
    return written


async def asked(open_window: OpenWindow, cli: Cli) -> Window:
    """A window in which a model was chosen for an optimize that a person started, and the question is open whether it may be asked."""
    source = cli.quick()
    window = await open_window(source.parent)
    await window.open_file(source.name)
    await window.click(window.lens("Optimize"))
    await window.let_run()
    await window.choose(MODEL_NAME)
    await window.see(window.page.locator(".monaco-dialog-box"), f"Send CUDA source of this workspace to {MODEL_NAME}")
    return window


@pytest.mark.thorough
async def test_the_editors_model_plans_and_writes_once_a_person_allowed_it(
    open_window: OpenWindow, folder: Path, cli: Cli, script: Script
) -> None:
    window = await asked(open_window, cli)
    assert script.asked() == [], "nothing is sent before a person said yes"
    await window.shoot("consent")
    await window.click(window.page.get_by_role("button", name="Allow in This Workspace"))
    await window.see(window.lens("Review"))
    assert [text for text in script.asked() if "out[x * height + y] = in[y * width + x];" in text]
    await window.shoot("offered")
    await window.click(window.lens("Accept"))
    await window.see(window.text, "__shared__")


@pytest.mark.thorough
async def test_a_request_can_be_read_and_then_not_be_sent(open_window: OpenWindow, folder: Path, cli: Cli, script: Script) -> None:
    window = await asked(open_window, cli)
    await window.click(window.page.get_by_role("button", name="Show the Request"))
    await window.see(window.text, "── system ──")
    question = await window.see_notification(f"This would be sent to {MODEL_NAME}")
    await window.shoot("request")
    await window.click(question.get_by_role("button", name="Do Not Send"))
    await window.gone(window.page.locator(".statusbar").get_by_text("running"))
    assert script.asked() == []
    await window.see_count(window.lens("Review"), 0)


@pytest.mark.thorough
async def test_agents_in_vscode_find_the_tools(open_window: OpenWindow, folder: Path, cli: Cli) -> None:
    source = cli.quick()
    window = await open_window(source.parent)
    await window.open_file(source.name)
    await window.see(window.lens("Optimize"))
    await window.command("MCP: List Servers")
    await window.choose("kernelopt")
    await window.choose("Start Server")
    await window.see(window.page.locator(".panel .view-lines"), re.compile(r"Discovered\s8\stools"))
    await window.shoot("tools")
