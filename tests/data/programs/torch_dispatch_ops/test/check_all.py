import torch
import seqops_cuda as ops

torch.manual_seed(3)
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.randn(100, 333, device="cuda", dtype=dtype)
    y, lse = ops.seg_softmax(x, 0.5)
    assert torch.allclose(y.float(), torch.softmax(x.float() * 0.5, -1), atol=1e-2)
m = torch.rand(64, 64, device="cuda") > 0.5
a, b = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")
assert torch.allclose(ops.masked_add(a.clone(), b, m), a + b * m)
assert ops.pad_rows(a, 70).shape == (64, 70)
print("all fine")
