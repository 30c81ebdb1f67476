import torch
import torch.nn as nn

tokens = 6


class Model(nn.Module):
    def forward(self, logits):
        values, index = torch.topk(logits, 2, dim=-1)
        weights = torch.softmax(values, dim=-1)
        return torch.zeros_like(logits).scatter(1, index, weights), index


def get_inputs():
    return [torch.randn(tokens, 8)]
