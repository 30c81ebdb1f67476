"""The same in a class of threads that has its own way to run."""

import threading

import torch
from torch import nn


class Worker(threading.Thread):
    def __init__(self, x: torch.Tensor) -> None:
        super().__init__()
        self.x = x
        self.found = x

    def run(self) -> None:
        self.found = torch.softmax(self.x, -1)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        worker = Worker(x)
        worker.start()
        worker.join()
        return worker.found
