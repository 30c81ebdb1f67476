import torch

from . import _C


def window_sum(x: torch.Tensor, w: int) -> torch.Tensor:
    return _C.window_sum(x.contiguous(), w)
