import sys, os
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import torch
import fastops

v = torch.randint(0, 1000, (1 << 20,), dtype=torch.int32, device="cuda")
h = fastops.histogram(v, 128)
assert h.sum().item() == v.numel()
x = torch.rand(64, 500, device="cuda")
assert torch.allclose(fastops.scan(x), x.cumsum(1), rtol=1e-4)
print("fine", h[:4].tolist())
