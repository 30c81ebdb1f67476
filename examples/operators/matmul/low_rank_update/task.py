"""A low-rank adapter: y = x + alpha * (x @ down) @ up."""

import torch
from torch import nn

tokens = 10
width = 32
rank = 4


class Model(nn.Module):
    def __init__(self, width: int, rank: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.randn(width, rank) / width**0.5)
        self.up = nn.Parameter(torch.randn(rank, width))
        self.alpha = alpha

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.alpha * (x @ self.down) @ self.up


def get_inputs():
    return [torch.randn(tokens, width)]


def get_init_inputs():
    return [width, rank]
