"""Causal attention of several heads."""

import math

import torch
from torch import nn

batch_size = 2
heads = 2
length = 14
dim = 8


class Model(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    return [torch.randn(batch_size, heads, length, dim) for _ in range(3)]


def get_init_inputs():
    return []
