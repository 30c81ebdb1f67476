"""A key is sent to its endpoint and is nowhere else afterwards: not in memory, events, output, prompts or any file that is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import ScriptedModel, asked_by, code, plan, step
from tests.endpoint.server import Refuses, Says
from tests.thorough import first_of

KEY = "sk-a-very-secret-key-0123456789"
KERNEL = "__global__ void k() { /* %s */ }"


def holders(folder: Path) -> list[str]:
    """Files that hold the key, as text or inside the memory file's compressed texts."""
    files = [path for path in folder.rglob("*") if path.is_file() and "cache" not in path.relative_to(folder).parts]
    return [str(path) for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("level", first_of(["debug", None]))
def test_a_key_is_in_nothing_that_is_kept_or_said(cli: Cli, level: str | None) -> None:
    model = ScriptedModel(
        plans=[plan(step("tile", 11, "KO101", rationale=f"your key is {KEY}"))],
        codes=[
            Refuses(500, said=f"internal error with {KEY}", retry_after_s=0.01),
            Says(code(KERNEL % KEY, summary=f"Print {KEY}."), model=f"model {KEY}"),
            Refuses(401, said=f"bad key {KEY}"),
        ],
    )
    path = cli.quick()
    variables = {"MY_KEY": KEY} | ({} if level is None else {"OPENAI_LOG": level})
    with asked_by(cli, model, provider={"key_env": "MY_KEY"}) as endpoint:
        ended = cli.run("optimize", path, "--planner", "llm", "--json", variables=variables)
    assert endpoint.asked and all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in endpoint.asked)
    assert all(KEY not in asked.text for asked in endpoint.asked)
    assert "[key]" in ended.out, "what the endpoint said is kept, without the key"
    exported = cli.run("memory", "export")
    assert "[key]" in exported.out and '"record":"call"' in exported.out
    assert KEY not in ended.said + exported.said
    assert holders(cli.home) + holders(cli.folder) + holders(cli.temporary) == []
