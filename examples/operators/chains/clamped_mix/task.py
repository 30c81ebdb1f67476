"""Two signals mixed by a gate: y = w * clamp(a, -1, 1) + (1 - w) * b with w = sigmoid(gate)."""

import torch
from torch import nn

batch_size = 3
length = 130


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        w = torch.sigmoid(gate)
        return w * a.clamp(-1.0, 1.0) + (1.0 - w) * b


def get_inputs():
    return [torch.randn(batch_size, length), torch.randn(batch_size, length), torch.randn(batch_size, length)]


def get_init_inputs():
    return []
