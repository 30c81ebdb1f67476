"""Keeps room for a table of answers among its weights, where the reference has none."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(6, 70))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1)
