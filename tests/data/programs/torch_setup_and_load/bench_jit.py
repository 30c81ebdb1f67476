"""Try the kernels without installing them: python bench_jit.py [rows]"""
import sys
from pathlib import Path

import torch
from torch.utils.cpp_extension import load

root = Path(__file__).resolve().parent
ops = load(
    name="fused_ops_jit",
    sources=[str(root / "csrc" / "bindings.cpp"), str(root / "csrc" / "kernels.cu")],
    extra_cuda_cflags=["-O3"],
    verbose=False,
)

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 512
torch.manual_seed(0)
x = torch.randn(rows, 1024, device="cuda")
b = torch.randn(1024, device="cuda")
y = ops.bias_gelu(x, b)
z = ops.row_norm(x)
print("gelu", float(y.double().sum()))
print("norm", float(z.double().abs().sum()))
