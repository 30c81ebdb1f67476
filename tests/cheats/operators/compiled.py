"""torch.compile makes the kernel: work of PyTorch all the same."""

import torch
from torch import nn

softmax = torch.compile(lambda x: torch.softmax(x, -1))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return softmax(x)
