"""The residual is added, then the sum is normalized by its root mean square; both are returned, as the next layer needs both."""

import torch
from torch import nn

tokens = 8
width = 96


class Model(nn.Module):
    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.epsilon = epsilon

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        total = x + residual
        scale = torch.rsqrt(total.pow(2).mean(dim=-1, keepdim=True) + self.epsilon)
        return total * scale * self.weight, total


def get_inputs():
    return [torch.randn(tokens, width), torch.randn(tokens, width)]


def get_init_inputs():
    return [width, 1e-6]
