import torch
import torch.nn as nn

rows = 5


class Model(nn.Module):
    def forward(self, x, w):
        y = torch.relu(torch.mm(x, w))
        coefficients = torch.tensor([0.5, 2.0])
        return torch.stack([y * coefficients[0], y.sqrt() * coefficients[1]], dim=1), (y > 0.5).sum(1), torch.std(y, dim=1)


def get_inputs():
    return [torch.randn(rows, 12), torch.randn(12, 9)]
