import torch
import torch.nn as nn

rows = 5


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(torch.relu(x) * 2.0, dim=1)


def get_inputs():
    return [torch.randn(rows, 20)]
