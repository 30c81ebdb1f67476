"""Its own forward raises: 3 x 40 by 12 x 12."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(12, 12))

    def forward(self, x):
        return torch.relu(x @ self.weight)


def get_inputs():
    return [torch.randn(3, 40)]


def get_init_inputs():
    return []
