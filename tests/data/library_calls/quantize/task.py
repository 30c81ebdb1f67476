import torch
import torch.nn as nn

rows = 5


class Model(nn.Module):
    def forward(self, x, bias):
        scale = x.abs().max() / 127.0
        return torch.round(x / scale) * scale + bias


def get_inputs():
    return [torch.randn(rows, 20), torch.randn(20)]
