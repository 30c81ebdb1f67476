import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 8


class Model(nn.Module):
    def forward(self, p, t):
        return F.huber_loss(p, t, delta=1.0)


def get_inputs():
    return [torch.randn(rows, 21), torch.randn(rows, 21) * 2]
