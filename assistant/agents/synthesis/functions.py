"""Functions of PyTorch that operators are composed of: how each is called, which weights it has, and what it does to shapes. Pure.

Example::

    FUNCTIONS["gelu"].code      # "F.gelu(x)"
"""

from __future__ import annotations

from enum import StrEnum

from assistant.record import Record

__all__ = ["FUNCTIONS", "Effect", "Function"]


class Effect(StrEnum):
    """On the last dimension."""

    SAME = "same"
    ONE = "one"
    """It becomes one; only functions of single elements come after it."""
    OTHER = "other"
    """It becomes another size, that of the weight."""


class Function(Record):
    """One step of an operator."""

    name: str
    code: str
    """Of ``x``; ``{w}`` is a weight of its own, ``{t}`` a further input of the same shape."""
    weight: str | None = None
    """How the weight begins, with ``{n}`` the size of the last dimension and ``{m}`` another one; None: it has none."""
    effect: Effect = Effect.SAME
    operations: int = 1
    """For each element."""
    needs_rows: bool = False
    """Reads a whole row for each element."""

    @property
    def has_input(self) -> bool:
        return "{t}" in self.code


_SCALE, _BIAS = "torch.rand({n}) + 0.5", "torch.randn({n})"

_ALL = (
    Function("relu", "F.relu(x)"),
    Function("gelu", "F.gelu(x)", operations=8),
    Function("gelu_tanh", 'F.gelu(x, approximate="tanh")', operations=10),
    Function("silu", "F.silu(x)", operations=6),
    Function("sigmoid", "torch.sigmoid(x)", operations=5),
    Function("tanh", "torch.tanh(x)", operations=6),
    Function("softplus", "F.softplus(x)", operations=8),
    Function("mish", "F.mish(x)", operations=12),
    Function("hardswish", "F.hardswish(x)", operations=4),
    Function("elu", "F.elu(x)", operations=6),
    Function("leaky_relu", "F.leaky_relu(x, 0.1)", operations=2),
    Function("clamp", "torch.clamp(x, -1.5, 2.0)", operations=2),
    Function("square", "x * x"),
    Function("absolute", "torch.abs(x)"),
    Function("sine", "torch.sin(x)", operations=8),
    Function("scale", "x * self.{w}", _SCALE),
    Function("bias", "x + self.{w}", _BIAS),
    Function("residual", "x + {t}"),
    Function("gate", "x * torch.sigmoid({t})", operations=6),
    Function("blend", "torch.lerp(x, {t}, 0.25)", operations=3),
    Function("maximum", "torch.maximum(x, {t})"),
    Function("softmax", "torch.softmax(x, dim=-1)", operations=8, needs_rows=True),
    Function("log_softmax", "torch.log_softmax(x, dim=-1)", operations=8, needs_rows=True),
    Function("layer_norm", "F.layer_norm(x, x.shape[-1:], self.{w})", _SCALE, operations=8, needs_rows=True),
    Function(
        "rms_norm", "x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + 1e-5) * self.{w}", _SCALE, operations=5, needs_rows=True
    ),
    Function("normalize", "F.normalize(x, dim=-1)", operations=4, needs_rows=True),
    Function("center", "x - torch.mean(x, dim=-1, keepdim=True)", operations=2, needs_rows=True),
    Function("prefix_sum", "torch.cumsum(x, dim=-1)", needs_rows=True),
    Function("linear", "F.linear(x, self.{w})", "torch.randn({m}, {n}) / {n} ** 0.5", Effect.OTHER, operations=2, needs_rows=True),
    Function("row_sum", "torch.sum(x, dim=-1, keepdim=True)", effect=Effect.ONE, needs_rows=True),
    Function("row_mean", "torch.mean(x, dim=-1, keepdim=True)", effect=Effect.ONE, needs_rows=True),
    Function("row_max", "torch.amax(x, dim=-1, keepdim=True)", effect=Effect.ONE, needs_rows=True),
    Function("row_logsumexp", "torch.logsumexp(x, dim=-1, keepdim=True)", effect=Effect.ONE, operations=6, needs_rows=True),
    Function("row_variance", "torch.var(x, dim=-1, keepdim=True, correction=0)", effect=Effect.ONE, operations=4, needs_rows=True),
)
FUNCTIONS = {function.name: function for function in _ALL}
