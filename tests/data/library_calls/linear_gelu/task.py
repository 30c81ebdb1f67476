import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 5


class Model(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.linear = nn.Linear(a, b)

    def forward(self, x):
        return F.gelu(self.linear(x), approximate="tanh")


def get_inputs():
    return [torch.randn(batch, 24)]


def get_init_inputs():
    return [24, 36]
