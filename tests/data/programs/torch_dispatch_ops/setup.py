#!/usr/bin/env python
import os
import re
import sys
from glob import glob
from setuptools import setup, find_packages

try:
    import torch
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension
except ImportError:
    sys.exit("install torch first")

this_dir = os.path.dirname(os.path.realpath(__file__))


def version():
    return re.search(r"VERSION = '(.*)'", "VERSION = '1.4.0'").group(1)


def sources_in(*folders):
    found = []
    for folder in folders:
        for ending in ("cpp", "cu"):
            found.extend(sorted(glob(os.path.join(folder, "*." + ending))))
    return [os.path.relpath(f, this_dir) for f in found]


cc_flag = []
for arch in ["80", "90"]:
    cc_flag += ["-gencode", f"arch=compute_{arch},code=sm_{arch}"]

ext = CUDAExtension(
    name="seqops_cuda",
    sources=sources_in(os.path.join(this_dir, "csrc"), os.path.join(this_dir, "csrc", "cuda")),
    include_dirs=[os.path.join(this_dir, "csrc", "cuda")],
    extra_compile_args={
        "cxx": ["-O3", "-std=c++17"],
        "nvcc": ["-O3", "-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__", "--expt-extended-lambda", "--use_fast_math"] + cc_flag,
    },
)

setup(name="seqops", version=version(), packages=find_packages(exclude=("test",)), ext_modules=[ext], cmdclass={"build_ext": BuildExtension})
