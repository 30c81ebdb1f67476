"""Maximum pooling of 3 x 3 windows with stride 2 and a border of one."""

import torch
from torch import nn

batch_size = 2
channels = 3
height = 10
width = 13


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


def get_inputs():
    return [torch.randn(batch_size, channels, height, width) - 2.0]


def get_init_inputs():
    return []
