"""A kernel, what was counted on it, and a model that answers from a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.build.architectures import architecture
from assistant.config import Settings
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.build import KernelResources
from assistant.model.completion import (
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelCall,
    ModelRole,
    Price,
    ServedModel,
)
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Evidence, Finding, Grade, InstructionMix, LaunchProfile, LineAccess, LineInstructions, Method, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import Catalogue, load_catalogue
from assistant.plan.llm.planner import LlmPlanner
from assistant.plan.llm.talk import Stamps
from assistant.ports.planner import PlanRequest
from tests.contracts.fake_model import FakeModel

REPOSITORY = Path(__file__).resolve().parents[4]
DEVICE = "CPU emulator (counting rules of sm_90)"

TEXT = """\
#include <cstdio>

__device__ float scaled(float value, float by)
{
    return value * by;
}

// out = by * in, transposed
__global__ void transpose(float *out, const float *in, int n, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        out[x * n + y] = scaled(in[y * n + x], by);
    }
}

static void run(float *out, const float *in, int n)
{
    dim3 block(32, 8);
    dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    transpose<<<grid, block>>>(out, in, n, 2.0f);
}

int main()
{
    run(nullptr, nullptr, 0);
    printf("done\\n");
    return 0;
}
"""
KERNEL_TEXT = TEXT[TEXT.index("__global__") : TEXT.index("\n\nstatic void run")]
DECLARED = """\
/* kernelopt
[workload.transpose]
grid = ["ceil(n/32)", "ceil(n/8)"]
block = [32, 8]
*/
""" + TEXT.replace("    transpose<<<grid, block>>>(out, in, n, 2.0f);\n", "")
"""The kernel with a declared launch only."""


def evidence(number: int, metric: str, value: float, unit: str, line: int | None) -> Evidence:
    return Evidence(f"E{number}", metric, value, unit, line, Method.EMULATOR, DEVICE, Grade.EXACT)


EVIDENCE = (
    Evidence("E1", "predicted_time", 12.3e-6, "s", None, Method.MODEL, "h200", Grade.ESTIMATED),
    evidence(2, "global_sectors", 262144.0, "sectors", 14),
    evidence(3, "global_ideal_sectors", 32768.0, "sectors", 14),
    evidence(4, "global_sectors_per_request", 32.0, "sectors/request", 14),
)


ACCESSES = (
    LineAccess("/kernel.cu", 14, "global load", 4, 8192, 262144, 32768, 32768, None, None, Grade.EXACT),
    LineAccess("/kernel.cu", 14, "global store", 4, 8192, 262144, 262144, 32768, None, None, Grade.EXACT),
)
INSTRUCTIONS = (LineInstructions("/kernel.cu", 14, InstructionMix(fp32=262144, integer=786432, load_store=524288)),)


def request_of(text: str = TEXT, kernel: str = "transpose", **changes: Any) -> PlanRequest:
    parsed = parse(Source(Path("/kernel.cu"), text))
    found = next(k for k in parsed.kernels if k.name == kernel)
    limits = architecture("sm_90")
    assert limits is not None
    config = LaunchConfig(Dim3(32, 128), Dim3(32, 8))
    profile = LaunchProfile(0, "transpose", config, Method.EMULATOR, DEVICE, 4096, ACCESSES, (), INSTRUCTIONS, 65536, None, ())
    finding = Finding("KO102", found.key, 14, Severity.WARNING, "each store of a warp touches 32 sectors", ("E4", "E2"), 0.6)
    resources = KernelResources(found.key, "_Z9transpose", "sm_90", 16, 0, 0, 0, 0, 0)
    inputs: dict[str, Any] = {"parsed": parsed, "kernel": found, "profiles": (profile,), "findings": (finding,), "evidence": EVIDENCE}
    inputs |= {"least_ratio": 1.01, "decided_ratio": 1.05}
    return PlanRequest(**(inputs | {"resources": resources, "target": target("h200"), "architecture": limits} | changes))


@dataclass
class Ledger:
    """`Accounts` that allow a number of calls."""

    allowed_count: int = 100
    calls: list[ModelCall] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    sent: list[tuple[str, int]] = field(default_factory=list)
    """(call, estimated tokens of its prompt)"""
    earlier: list[ModelCall] = field(default_factory=list)
    """Of a search that this one goes on with."""
    dead: frozenset[ModelRole] = frozenset()
    """Roles whose models turned us away for good."""

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        if len(self.calls) < self.allowed_count:
            return None
        return CompletionFailure(FailureKind.OVER_BUDGET, "the budget is spent", "raise budget.tokens")

    def answered(self, request: CompletionRequest) -> ModelCall | None:
        known = next((call for call in self.earlier if call.request.about == request.about), None)
        if known is not None:
            self.earlier.remove(known)
        return known

    async def room(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> None: ...

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        return CompletionFailure(FailureKind.FORBIDDEN, "the coder is gone", "fix it") if served.role in self.dead else None

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        self.sent.append((request.id, input_token_count))

    def record(self, call: ModelCall) -> None:
        self.calls.append(call)

    def writing(self, role: ModelRole, piece: str) -> None:
        self.pieces.append(piece)


@dataclass(frozen=True)
class Bed:
    """A planner with its scripted model."""

    planner: LlmPlanner
    provider: FakeModel
    ledger: Ledger


def catalogue() -> Catalogue:
    return load_catalogue(REPOSITORY / "prompts" / "techniques")


def stamps() -> Stamps:
    numbers = iter(range(1, 1000))
    return Stamps("J1", lambda letter: f"{letter}{next(numbers)}", lambda: 1_000)


_PROVIDER: dict[str, object] = {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": "small"}


def settings(**sections: dict[str, object]) -> Settings:
    return Settings.model_validate({"provider": _PROVIDER | sections.pop("provider", {}), **sections})


def bed(answers: Sequence[object], allowed_count: int = 100, price: Price | None = None, **sections: dict[str, object]) -> Bed:
    """A planner whose model gives the answers; dicts are sent as JSON."""
    given = [json.dumps(answer) if isinstance(answer, dict) else answer for answer in answers]
    provider, ledger = FakeModel(given, price), Ledger(allowed_count)  # type: ignore[arg-type]  # a test gives what the list may hold
    return Bed(LlmPlanner(provider, ledger, catalogue(), settings(**sections), stamps()), provider, ledger)
