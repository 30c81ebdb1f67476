"""Tasks for coding agents: a folder to work in, a judge outside of it, a reward from the judge alone, and a record of every call.

What is judged against, settings, budgets and calls are kept in kernelopt's home; an agent's folder is read as something that anybody may
have written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.agents.tasks.calls import CallLog as CallLog
    from assistant.agents.tasks.calls import left as left
    from assistant.agents.tasks.door import Door as Door
    from assistant.agents.tasks.folder import AgentFolder as AgentFolder
    from assistant.agents.tasks.making import NewTask as NewTask
    from assistant.agents.tasks.making import ServerStart as ServerStart
    from assistant.agents.tasks.making import copy_task as copy_task
    from assistant.agents.tasks.making import make_task as make_task
    from assistant.agents.tasks.making import restore as restore
    from assistant.agents.tasks.readme import server_instructions as server_instructions
    from assistant.agents.tasks.reward import Judgement as Judgement
    from assistant.agents.tasks.reward import Reason as Reason
    from assistant.agents.tasks.reward import Reward as Reward
    from assistant.agents.tasks.reward import reward_of as reward_of
    from assistant.agents.tasks.store import KeptTask as KeptTask
    from assistant.agents.tasks.store import TaskStore as TaskStore
    from assistant.agents.tasks.task import Budget as Budget
    from assistant.agents.tasks.task import JudgeSettings as JudgeSettings
    from assistant.agents.tasks.task import Task as Task
    from assistant.agents.tasks.task import TaskKind as TaskKind
    from assistant.agents.tasks.trajectories import trajectory as trajectory

__getattr__ = names_of(__name__, __file__)
