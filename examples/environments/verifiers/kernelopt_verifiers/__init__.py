"""Tasks of kernelopt as a verifiers taskset: ``vf-eval kernelopt-verifiers --env.taskset.sources kernels/*.cu``.

Imports nothing of kernelopt: its judge is a process, so that both keep their own dependencies.
"""

from kernelopt_verifiers.taskset import KernelTaskset

__all__ = ["KernelTaskset"]
