import torch
import torch.nn as nn

rows = 7


class Model(nn.Module):
    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        var = x.var(dim=1, keepdim=True, unbiased=False)
        return (x - mean) / torch.sqrt(var + 1e-5)


def get_inputs():
    return [torch.randn(rows, 33) * 3 + 1]
