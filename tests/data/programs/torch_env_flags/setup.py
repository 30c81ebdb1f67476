import os
import glob
import os.path as osp

import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

ROOT = osp.dirname(osp.abspath(__file__))
__version__ = "0.3.1"
WITH_CUDA = torch.cuda.is_available() and CUDA_HOME is not None
WITH_CUDA = WITH_CUDA or os.getenv("FORCE_CUDA", "0") == "1"


def get_extensions():
    csrc = osp.join(ROOT, "src", "winattn", "csrc")
    main = glob.glob(osp.join(csrc, "*.cpp"))
    cuda = glob.glob(osp.join(csrc, "*.cu"))
    define_macros = [("WINATTN_VERSION", "3")]
    extra_compile_args = {"cxx": ["-O3"]}
    Extension = CppExtension
    sources = main
    if WITH_CUDA:
        Extension = CUDAExtension
        sources += cuda
        define_macros += [("WITH_CUDA", None)]
        nvcc = os.getenv("NVCC_FLAGS", "")
        nvcc = [] if nvcc == "" else nvcc.split(" ")
        nvcc += ["-O3", "-gencode=arch=compute_90,code=sm_90"]
        if os.environ.get("WINATTN_DEBUG"):
            nvcc.append("-DDEBUG_CHECKS")
        else:
            nvcc += ["-DTILE=%d" % int(os.environ.get("WINATTN_TILE", 16))]
        extra_compile_args["nvcc"] = nvcc
    return [
        Extension(
            "winattn._C",
            sorted(sources),
            include_dirs=[csrc],
            define_macros=define_macros,
            extra_compile_args=extra_compile_args,
        )
    ]


setup(
    name="winattn",
    version=__version__,
    package_dir={"": "src"},
    packages=find_packages("src"),
    ext_modules=get_extensions(),
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
