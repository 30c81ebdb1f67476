import torch

rows, columns = 6, 40


class Model(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(columns) + 0.5)

    def forward(self, x):
        return torch.tanh(x * self.scale) + x


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return [columns]
