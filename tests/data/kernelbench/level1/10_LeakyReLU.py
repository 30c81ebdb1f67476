"""Element by element, with an argument of the constructor."""

import torch
from torch import nn

rows = 3


class Model(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(x, negative_slope=self.slope)


def get_inputs():
    return [torch.randn(rows, 40)]


def get_init_inputs():
    return [0.1]
