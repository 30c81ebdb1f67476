import argparse
import torch
from winattn import window_sum

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=1 << 20)
    a = p.parse_args()
    x = torch.randn(a.n, device="cuda")
    print(window_sum(x, 8).sum())
