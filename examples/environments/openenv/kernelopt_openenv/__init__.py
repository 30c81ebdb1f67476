"""Tasks of kernelopt behind OpenEnv's protocol: ``kernelopt-openenv kernels/*.cu`` serves, `KernelEnv` asks.

Imports nothing of kernelopt: its judge is a process, so that both keep their own dependencies.
"""

from kernelopt_openenv.client import KernelEnv
from kernelopt_openenv.models import KernelAction, KernelObservation

__all__ = ["KernelAction", "KernelEnv", "KernelObservation"]
