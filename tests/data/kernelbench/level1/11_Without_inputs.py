"""Numbered as a task is, and none: nothing says what a call is given."""

from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x
