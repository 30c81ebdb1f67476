"""SwiGLU's middle: y = silu(left half) * right half, along the last dimension."""

import torch
import torch.nn.functional as F
from torch import nn

tokens = 10
hidden = 24


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, value = x.chunk(2, dim=-1)
        return F.silu(gate) * value


def get_inputs():
    return [torch.randn(tokens, 2 * hidden)]


def get_init_inputs():
    return []
