import torch

import fused_ops


def main():
    torch.manual_seed(1)
    x = torch.randn(300, 768, device="cuda")
    bias = torch.randn(768, device="cuda")
    want = torch.nn.functional.gelu(x + bias, approximate="tanh")
    got = fused_ops.bias_gelu(x, bias)
    assert torch.allclose(got, want, rtol=1e-3, atol=1e-4), (got - want).abs().max()
    norm = fused_ops.row_norm(x)
    want = x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6)
    assert torch.allclose(norm, want, rtol=1e-3, atol=1e-4)
    print("ok", float(got.sum()), float(norm.sum()))


if __name__ == "__main__":
    main()
