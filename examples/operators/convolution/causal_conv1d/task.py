"""A short causal convolution of each channel by itself, with SiLU, as state space models have it."""

import torch
import torch.nn.functional as F
from torch import nn

batch_size = 2
channels = 6
length = 21
taps = 4


class Model(nn.Module):
    def __init__(self, channels: int, taps: int) -> None:
        super().__init__()
        self.taps = taps
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.silu(self.conv(F.pad(x, (self.taps - 1, 0))))


def get_inputs():
    return [torch.randn(batch_size, channels, length)]


def get_init_inputs():
    return [channels, taps]
