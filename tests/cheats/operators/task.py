"""Softmax over the last dimension, which every candidate here claims to compute."""

import torch
from torch import nn

rows = 6
columns = 70


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(rows, columns)]
