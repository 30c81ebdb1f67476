"""Values rounded to 8 bits and back: y = clamp(round(x / step), -128, 127) * step."""

import torch
from torch import nn

rows = 11
columns = 32


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("step", torch.tensor(0.0625))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.clamp(torch.round(x / self.step), -128, 127) * self.step


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
