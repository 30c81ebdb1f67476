"""JIT build of everything in kernels/ (first call takes a minute)"""
import glob, os
import torch
from torch.utils.cpp_extension import load

_d = os.path.dirname(os.path.abspath(__file__))
_k = os.path.join(_d, "kernels")
_C = load(name="rope_rms", sources=glob.glob(os.path.join(_k, "*.cu")) + glob.glob(os.path.join(_k, "*.cpp")), extra_include_paths=[_k],
          extra_cuda_cflags=["-O3", "-DHEAD_DIM=%d" % 64, "-lineinfo"], verbose=bool(os.environ.get("VERBOSE")))

if __name__ == "__main__":
    x = torch.randn(17, 96, device="cuda").half()
    w = torch.ones(96, device="cuda").half()
    print(_C.rms(x, w, 1e-5).float().pow(2).mean(-1)[:3])
    q = torch.randn(8, 64, device="cuda")
    print(_C.rope(q).norm(), q.norm())
