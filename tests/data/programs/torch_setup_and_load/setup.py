import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

here = os.path.dirname(os.path.abspath(__file__))

nvcc_flags = ["-O3", "--use_fast_math", "-DBLOCK=256"]

setup(
    name="fused_ops",
    version="0.0.1",
    ext_modules=[
        CUDAExtension(
            "fused_ops",
            ["csrc/bindings.cpp", "csrc/kernels.cu"],
            include_dirs=[os.path.join(here, "csrc")],
            extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_flags},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
