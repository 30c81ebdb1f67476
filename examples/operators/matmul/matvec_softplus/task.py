"""y = softplus(weight @ x + bias) for one vector."""

import torch
import torch.nn.functional as F
from torch import nn

inputs = 45
outputs = 20


class Model(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.randn(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.softplus(torch.mv(self.weight, x) + self.bias)


def get_inputs():
    return [torch.randn(inputs)]


def get_init_inputs():
    return [inputs, outputs]
