import torch
import torch.nn as nn

batch = 2


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, stride=2, padding=1)
        self.scale = nn.Parameter(torch.rand(o, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x)) * self.scale


def get_inputs():
    return [torch.randn(batch, 3, 9, 8)]


def get_init_inputs():
    return [3, 4]
