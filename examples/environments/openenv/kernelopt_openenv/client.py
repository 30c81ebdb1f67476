"""A client with the types of this environment; OpenEnv's `GenericEnvClient` speaks to the server as well."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from kernelopt_openenv.models import KernelAction, KernelObservation

__all__ = ["KernelEnv"]


class KernelEnv(EnvClient[KernelAction, KernelObservation, State]):
    """One session; a step may take as long as the judge does (``message_timeout_s``)."""

    def _step_payload(self, action: KernelAction) -> dict[str, Any]:
        return action.model_dump(exclude={"metadata"})

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[KernelObservation]:
        about = {name: payload.get(name) for name in ("reward", "metadata")} | {"done": payload.get("done", False)}
        observation = KernelObservation(**(payload.get("observation", {}) | about | {"metadata": about["metadata"] or {}}))
        return StepResult(observation=observation, **about)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
