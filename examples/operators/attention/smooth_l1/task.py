"""The mean smooth L1 distance of predictions and targets."""

import torch
from torch import nn

batch_size = 6
values = 50


class Model(nn.Module):
    def __init__(self, beta: float) -> None:
        super().__init__()
        self.loss = nn.SmoothL1Loss(beta=beta)

    def forward(self, predictions: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return self.loss(predictions, targets)


def get_inputs():
    return [torch.randn(batch_size, values), torch.randn(batch_size, values)]


def get_init_inputs():
    return [0.5]
