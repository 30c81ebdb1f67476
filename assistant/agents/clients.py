"""The coding agents that can be set up: where each looks for skills in a project, and for servers of the Model Context Protocol.

From each agent's own documentation (November 2026). Codex reads ``.codex/config.toml`` only in projects that the person trusts.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any, cast

from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["ARGUMENTS", "CLIENTS", "SERVER", "AgentClient", "clients_of", "with_server"]

SERVER = "kernelopt"
"""The server's name in every configuration."""
ARGUMENTS = ("mcp",)
"""What the server is started with."""
_PROJECT_VARIABLE = "${workspaceFolder}"
_STARTED_ELSEWHERE = frozenset({"copilot", "cursor"})
_INDENT = re.compile(r"^( +|\t)\S", re.MULTILINE)


class AgentClient(Record):
    """One agent; paths are below the project's folder."""

    id: str
    title: str
    skills: PurePosixPath
    """Each skill is a folder in it."""
    configuration: PurePosixPath
    servers_key: str
    """Key of the table of servers."""
    traces: tuple[str, ...]
    """Files and folders that show that a project uses this agent."""

    @property
    def project(self) -> str:
        """The project's folder as a server's arguments name it: the clients that start servers elsewhere put it in themselves."""
        return _PROJECT_VARIABLE if self.id in _STARTED_ELSEWHERE else "."


def _client(id: str, title: str, skills: str, configuration: str, servers_key: str, *traces: str) -> AgentClient:  # noqa: A002
    return AgentClient(id, title, PurePosixPath(skills), PurePosixPath(configuration), servers_key, traces)


CLIENTS = (
    _client("claude", "Claude Code", ".claude/skills", ".mcp.json", "mcpServers", ".claude", "CLAUDE.md", ".mcp.json"),
    _client("codex", "Codex", ".agents/skills", ".codex/config.toml", "mcp_servers", ".codex"),
    _client("copilot", "GitHub Copilot in VS Code", ".github/skills", ".vscode/mcp.json", "servers", ".vscode"),
    _client("cursor", "Cursor", ".agents/skills", ".cursor/mcp.json", "mcpServers", ".cursor", ".cursorrules"),
    _client("gemini", "Gemini CLI", ".agents/skills", ".gemini/settings.json", "mcpServers", ".gemini", "GEMINI.md"),
)


def clients_of(folder: Path, names: tuple[str, ...]) -> tuple[AgentClient, ...]:
    """Those that are named; without names those that ``folder`` shows traces of, and all where it shows none.

    Raises UsageError for a name that is none of theirs.
    """
    known = {client.id: client for client in CLIENTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"there is no agent {unknown[0]}", f"name one of {', '.join(known)}")
    if names:
        return tuple(client for client in CLIENTS if client.id in names)
    return tuple(client for client in CLIENTS if any((folder / trace).exists() for trace in client.traces)) or CLIENTS


def with_server(client: AgentClient, text: str | None, command: str, arguments: tuple[str, ...] = ARGUMENTS) -> str:
    """The agent's configuration with our server in it; ``text`` is what it holds now, None for no file.

    A server of our name that stands there stays as it is: it may have options of the person's own. Raises UsageError where the text
    cannot be read; it is never replaced then.
    """
    if client.configuration.suffix == ".toml":
        return _with_table(client, text or "", command, arguments)
    return _with_json_entry(client, text or "", command, arguments)


def _with_json_entry(client: AgentClient, text: str, command: str, arguments: tuple[str, ...]) -> str:
    entry: dict[str, Any] = {"type": "stdio"} if client.id != "gemini" else {}
    entry |= {"command": command, "args": list(arguments)}
    try:
        settings = _table(json.loads(text) if text.strip() else {})
        servers = _table(settings.setdefault(client.servers_key, {}))
    except ValueError as error:
        raise _unreadable(client, f"it is no JSON to which a server can be added ({error})", _json_text(client, entry)) from error
    if SERVER in servers:
        return text
    servers[SERVER] = entry
    found = _INDENT.search(text)
    return json.dumps(settings, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _table(value: Any) -> dict[str, Any]:
    """Raises ValueError where it is none."""
    if not isinstance(value, dict):
        raise ValueError("a list or a value stands where a table is needed")
    return cast("dict[str, Any]", value)


def _json_text(client: AgentClient, entry: dict[str, Any]) -> str:
    return json.dumps({client.servers_key: {SERVER: entry}})


def _with_table(client: AgentClient, text: str, command: str, arguments: tuple[str, ...]) -> str:
    table = f"[{client.servers_key}.{SERVER}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(list(arguments))}\n"
    try:
        if SERVER in _table(tomllib.loads(text).get(client.servers_key, {})):
            return text
        added = f"{text.rstrip()}\n\n{table}" if text.strip() else table
        tomllib.loads(added)
    except ValueError as error:
        raise _unreadable(client, f"it is no TOML to which a table can be added ({error})", table) from error
    return added


def _unreadable(client: AgentClient, reason: str, lacking: str) -> UsageError:
    return UsageError(f"{client.configuration} stays as it is: {reason}", f"add by hand: {lacking}")
