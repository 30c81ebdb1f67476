"""The composition root: which lab, planner and memory a session gets on this machine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cli.techniques import own_catalogue
from assistant.config import user_paths
from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.cpu import CpuLab
from assistant.lab.kept import KeptCompiler
from assistant.memory.store import open_store
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.transformations import EXPERT_TRANSFORMATIONS
from assistant.ports import Lab

if TYPE_CHECKING:
    from assistant.engine.planning import Models
    from assistant.plan.providers import ModelRelay

__all__ = ["open_session"]


def open_session(front_end: str = "cli", compiler: KeptCompiler | None = None, relay: ModelRelay | None = None) -> Session:
    """A session of this process; its jobs share ``compiler`` where it outlives them.

    ``relay``: to the model of the editor that started it.
    """
    catalogue = own_catalogue()
    expert = ExpertPlanner(catalogue, EXPERT_TRANSFORMATIONS)
    paths = user_paths()

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        if request.device.startswith("gpu"):
            raise CannotAnswerError(
                f"--device {request.device}: this version has no GPU lab", "use --device cpu: the emulator and its predictions"
            )
        if request.device not in ("auto", "cpu"):
            raise UsageError(f"--device takes auto, cpu or gpu:N, not {request.device!r}")
        if request.run_command is not None:
            raise CannotAnswerError(
                f"--run {shlex.join(request.run_command)}: the emulator runs .cu sources, not binaries or scripts",
                f"name the source that has main() (further sources follow it), or declare a workload: kernelopt init {request.file}",
            )
        return CpuLab(scratch, paths.cache, target, compiler=None if compiler is None else compiler.worker)

    def load_models() -> Models:
        from assistant.cli.models import ModelParts

        return ModelParts(expert, catalogue, relay)

    return Session(
        SessionParts(
            open_store=open_store,
            open_lab=open_lab,
            planner=expert,
            catalogue=catalogue,
            who=f"{front_end} {os.getpid()}",
            load_models=load_models,
        )
    )
