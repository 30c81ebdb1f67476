"""A project is set up for coding agents: configurations keep what stands in them, nothing is replaced that cannot be read."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agents import CLIENTS, AgentClient, FileState, Skill, clients_of, setup_files, write_files
from assistant.agents.clients import with_server
from assistant.errors import UsageError

SKILLS = (Skill("kernelopt-a", "What.", "# A\n", ()),)
BY_ID = {client.id: client for client in CLIENTS}
JSON_CLIENTS = [client for client in CLIENTS if client.configuration.suffix == ".json"]
SERVER = {"command": "kernelopt", "args": ["mcp"]}


def set_up(folder: Path, *names: str) -> dict[str, FileState]:
    """States by path, of what was written."""
    files = setup_files(folder, clients_of(folder, names), SKILLS, "kernelopt")
    write_files(folder, files)
    return {str(file.path): file.state for file in files}


def test_an_empty_project_is_set_up_for_all_and_a_second_time_nothing_changes(tmp_path: Path) -> None:
    states = set_up(tmp_path)
    assert set(states.values()) == {FileState.NEW}
    assert {client.configuration for client in CLIENTS} < {Path(path) for path in states}
    assert (tmp_path / ".claude/skills/kernelopt-a/SKILL.md").read_text() == (tmp_path / ".agents/skills/kernelopt-a/SKILL.md").read_text()
    assert set(set_up(tmp_path).values()) == {FileState.UNCHANGED}


@pytest.mark.parametrize(
    ("trace", "client"), [("CLAUDE.md", "claude"), (".codex", "codex"), ("GEMINI.md", "gemini"), (".cursor", "cursor")]
)
def test_only_agents_that_the_project_uses_are_set_up(trace: str, client: str, tmp_path: Path) -> None:
    (tmp_path / trace).mkdir()
    assert [found.id for found in clients_of(tmp_path, ())] == [client]
    assert [found.id for found in clients_of(tmp_path, ("cursor", "claude"))] == ["claude", "cursor"]


def test_an_agent_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no agent emacs") as found:
        clients_of(tmp_path, ("claude", "emacs"))
    assert found.value.remedy == "name one of claude, codex, copilot, cursor, gemini"


@pytest.mark.parametrize("client", JSON_CLIENTS, ids=lambda client: client.id)
def test_other_servers_and_settings_stay(client: AgentClient) -> None:
    before = {"theme": "ü", client.servers_key: {"other": {"command": "x"}}}
    text = with_server(client, json.dumps(before, indent=4, ensure_ascii=False), "kernelopt")
    after = json.loads(text)
    entry = after[client.servers_key].pop("kernelopt")
    assert after == before
    assert {key: entry[key] for key in SERVER} == SERVER
    assert entry.get("type") == (None if client.id == "gemini" else "stdio")
    assert '\n    "theme": "ü"' in text


def test_codexs_table_is_added_below_what_stands_there() -> None:
    before = '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x"\n'
    text = with_server(BY_ID["codex"], before, "kernelopt")
    assert text.startswith(before)
    assert tomllib.loads(text)["mcp_servers"] == {"other": {"command": "x"}, "kernelopt": SERVER}


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude", '{"mcpServers": {"kernelopt": {"command": "k", "args": ["mcp", "--allow-run"]}}}'),
        ("codex", '[mcp_servers.kernelopt]\ncommand = "k"\n'),
    ],
)
def test_a_server_with_options_of_the_persons_own_stays(client: str, text: str) -> None:
    assert with_server(BY_ID[client], text, "kernelopt") == text


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("copilot", '{\n  // my servers\n  "servers": {}\n}\n'),
        ("claude", '{"mcpServers": []}'),
        ("cursor", "[]"),
        ("codex", "model = \n"),
        ("codex", 'mcp_servers = { other = { command = "x" } }\n'),
        ("codex", "mcp_servers = 3\n"),
    ],
)
def test_what_cannot_be_extended_stays_and_the_remedy_says_what_to_add(client: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / BY_ID[client].configuration
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with pytest.raises(UsageError, match="stays as it is") as found:
        set_up(tmp_path, client)
    assert "kernelopt" in found.value.remedy and path.read_text() == text
    assert [found.name for found in tmp_path.rglob("SKILL.md")] == []


def test_a_changed_skill_is_written_again_and_keeps_its_rights(tmp_path: Path) -> None:
    set_up(tmp_path, "claude")
    skill = tmp_path / ".claude/skills/kernelopt-a/SKILL.md"
    skill.write_text("older")
    skill.chmod(0o640)
    assert set_up(tmp_path, "claude")[".claude/skills/kernelopt-a/SKILL.md"] is FileState.CHANGED
    assert skill.read_text() != "older" and skill.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in skill.parent.iterdir()] == ["SKILL.md"]


def test_a_configuration_that_is_a_link_stays_one(tmp_path: Path) -> None:
    shared = tmp_path / "shared.json"
    shared.write_text("{}")
    (tmp_path / ".mcp.json").symlink_to(shared)
    set_up(tmp_path, "claude")
    assert (tmp_path / ".mcp.json").is_symlink() and "kernelopt" in shared.read_text()


def _utf16(path: Path) -> None:
    path.write_bytes(b"\xff\xfe{}")


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, _utf16])
def test_what_is_no_text_file_is_refused_and_not_waited_for(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / ".mcp.json")
    with pytest.raises(UsageError, match=r"\.mcp\.json cannot be read"):
        set_up(tmp_path, "claude")


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".claude").write_text("")
    with pytest.raises(UsageError, match=r"cannot be (read|written)"):
        set_up(tmp_path, "claude")
