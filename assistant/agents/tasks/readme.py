"""The page that an agent reads first in its folder, from ``prompts/tasks/readme.md.j2``.

Example::

    readme(task, clients)       # "# Make blur.cu faster\\n…"
"""

from __future__ import annotations

from jinja2 import Environment, StrictUndefined

from assistant.agents.clients import AgentClient
from assistant.agents.tasks.folder import NOTES
from assistant.agents.tasks.task import Task
from assistant.shipped import shipped_prompts

__all__ = ["readme", "server_instructions"]


def readme(task: Task, clients: tuple[AgentClient, ...]) -> str:
    """As Markdown."""
    skills = next((str(client.skills) for client in clients), None)
    return _rendered("readme.md.j2", task=task, notes=NOTES, skills=skills, references=[f.name for f in task.protected])


def server_instructions(task: Task) -> str:
    """What a client of the task's server is told of it."""
    return _rendered("server.md.j2", task=task)


def _rendered(name: str, **values: object) -> str:
    template = (shipped_prompts() / "tasks" / name).read_text("utf-8")
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701 - Markdown
    return environment.from_string(template).render(**values).rstrip() + "\n"
