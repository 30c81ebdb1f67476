"""A small network of two layers."""

import torch
from torch import nn

rows = 3


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, 8)
        self.second = nn.Linear(8, 4)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def get_inputs():
    return [torch.randn(rows, 12)]


def get_init_inputs():
    return [12]
