"""The composition root: which lab, planner and memory a session gets on this machine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.config import user_paths
from assistant.engine import JobRequest, Session, SessionParts
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import Gpu, NoGpu, meant_gpus, usable_gpus
from assistant.lab.kept import KeptCompiler
from assistant.lab.process import workers_at_once
from assistant.measure.targets import target_for_device
from assistant.memory.store import open_store
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.lab import Lab

if TYPE_CHECKING:
    from assistant.engine.search import Models
    from assistant.plan.policy.situation import StepPolicy
    from assistant.plan.providers import ModelRelay

__all__ = ["has_gpu", "open_session", "refused_command"]


def open_session(
    front_end: str = "cli", compiler: KeptCompiler | None = None, relay: ModelRelay | None = None, memory: Path | None = None
) -> Session:
    """A session of this process; its jobs share ``compiler`` where it outlives them.

    ``relay``: to the model of the editor that started it. ``memory``: the file that it learns into, in the place of the user's.
    """
    catalogue = own_catalogue()
    expert = ExpertPlanner(catalogue, EXPERT_TRANSFORMATIONS, _policy)
    paths = user_paths()
    kept_gpus: dict[str, GpuClient] = {}
    """Workers that later jobs of the process find warm; one that is not used for a while ends by itself."""

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        device = request.device or "auto"
        gpus = _chosen_gpus(device)
        if request.run_command is not None and isinstance(gpus, NoGpu):
            raise refused_command(request)
        missing = (f"{gpus.reason}: {gpus.remedy}",) if isinstance(gpus, NoGpu) and device == "auto" else ()
        at_once = 1 if isinstance(gpus, NoGpu) else workers_at_once(os.cpu_count() or 1)
        cpu = CpuLab(scratch, paths.cache, target, missing, None if compiler is None else compiler.worker, at_once)
        if isinstance(gpus, NoGpu):
            return cpu
        own = target_for_device(gpus[0].name)
        target = own.name if own is not None and request.target is None else target
        is_kept = compiler is not None
        if is_kept:
            clients = [kept_gpus.setdefault(gpu.uuid, GpuClient(gpu, None)) for gpu in gpus]
        else:
            clients = [GpuClient(gpu, scratch) for gpu in gpus]
        parallel_labs = tuple(_parallel_lab(client, scratch, target, paths.cache, compiler) for client in clients[1:])
        return GpuLab(cpu, clients[0], scratch, target, is_kept, tuple(clients[1:]), parallel_labs)

    def load_models() -> Models:
        from assistant.cli.models import ModelParts

        return ModelParts(expert, catalogue, relay)

    return Session(
        SessionParts(
            open_store=open_store if memory is None else lambda _: open_store(memory),
            open_lab=open_lab,
            planner=expert,
            catalogue=catalogue,
            who=f"{front_end} {os.getpid()}",
            load_models=load_models,
        )
    )


def has_gpu(device: str) -> bool:
    """Whether ``--device`` means one that is there. Raises for a GPU that is not there and for other words."""
    return not isinstance(_chosen_gpus(device), NoGpu)


def refused_command(request: JobRequest, further: str = "") -> CannotAnswerError:
    """That the emulator does not run what ``--run`` starts, with the ways out."""
    assert request.run_command is not None
    remedy = f"name the source that has main() (further sources follow it){', ' + further if further else ''}"
    return CannotAnswerError(
        f"--run {shlex.join(request.run_command)}: the emulator runs .cu sources, not binaries or scripts",
        f"{remedy}, or declare a workload: kernelopt init {request.file}",
    )


def _policy(name: str) -> StepPolicy | None:
    """NumPy is loaded where one is wanted."""
    from assistant.plan.policy.network import open_policy

    return open_policy(name)


def _parallel_lab(client: GpuClient, scratch: Path, target: str, cache: Path, compiler: KeptCompiler | None) -> GpuLab:
    """A lab on a further GPU, with an emulator of its own; it starts nothing until it is asked."""
    own = scratch / f"gpu-{client.gpu.index}"
    own.mkdir(exist_ok=True)
    cpu = CpuLab(own, cache, target, (), None if compiler is None else compiler.worker, workers_at_once(os.cpu_count() or 1))
    return GpuLab(cpu, client, own, target, compiler is not None)


def _devices_here() -> str:
    """What can be given on this machine."""
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        return f"here it may be cpu (the emulator), which auto means too: {found.reason}"
    named = ", ".join(f"gpu:{gpu.index} ({gpu.name})" for gpu in found)
    return f"here it may be cpu (the emulator), {named}; auto means gpu"


def _chosen_gpus(device: str) -> tuple[Gpu, ...] | NoGpu:
    """The GPU that ``--device`` means, and behind it those like it that may help, where no number is given.

    NoGpu where it means the emulator. Raises for a GPU that is not there and for other words.
    """
    if device == "cpu":
        return NoGpu("not asked for", "--device gpu")
    kind, _, number = device.partition(":")
    if device != "auto" and (kind != "gpu" or not (number or "0").isdecimal()):
        raise UsageError(f"a device is auto, cpu, gpu or gpu:N, not {device!r}", _devices_here())
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        if device == "auto":
            return found
        raise CannotAnswerError(f"--device {device}: {found.reason}", f"{found.remedy}; or --device cpu: the emulator and its predictions")
    meant = meant_gpus(device, found)
    if not meant:
        raise CannotAnswerError(f"--device {device}: there is no such GPU, only {len(found)}", "nvidia-smi -L lists them")
    return meant
