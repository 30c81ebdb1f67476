import pytest
import torch

import winattn


@pytest.mark.parametrize("n", [1, 100, 5000])
def test_window_sum(n):
    x = torch.randn(n, device="cuda")
    want = torch.stack([x[max(0, i - 3) : i + 1].sum() for i in range(n)])
    assert torch.allclose(winattn.window_sum(x, 4), want, atol=1e-5)
