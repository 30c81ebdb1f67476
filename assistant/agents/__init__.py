"""What coding agents are given: skills, and where each agent looks for them and for the server that it asks; and tasks (``tasks``).

It writes files that it was asked to write; what is run is run by the engine. The servers themselves are in ``assistant.mcp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.agents.clients import CLIENTS as CLIENTS
    from assistant.agents.clients import AgentClient as AgentClient
    from assistant.agents.clients import clients_of as clients_of
    from assistant.agents.setup import FileState as FileState
    from assistant.agents.setup import SetupFile as SetupFile
    from assistant.agents.setup import setup_files as setup_files
    from assistant.agents.setup import write_files as write_files
    from assistant.agents.skills import Skill as Skill
    from assistant.agents.skills import load_skills as load_skills

__getattr__ = names_of(__name__, __file__)
