"""Which kernel a search goes on with where an edit took its own away: fused kernels, split ones, one under another name. Pure.

Example::

    kernel_in("k1", start, fused)     # "k12", which `start` does not launch; "k1" where it is still there
"""

from __future__ import annotations

from assistant.engine.evaluate import Evaluation, costliest
from assistant.engine.judge import edited_kernels

__all__ = ["kernel_in"]


def kernel_in(kernel: str, start: Evaluation, version: Evaluation) -> str:
    """The kernel of this qualified name, or the costliest of those that took its place in ``version``; itself where there is none.

    Those are kernels that ``start`` does not launch; without one, those that were edited.
    """
    if version.kernel(kernel):
        return kernel
    before = {item.kernel.qualified_name for item in start.assessment.kernels}
    new = [item for item in version.assessment.kernels if item.kernel.qualified_name not in before]
    if not new:
        edited = edited_kernels(start.version, version.version)
        names = {item.kernel.qualified_name for item in start.assessment.kernels if item.kernel.key in edited}
        new = [item for item in version.assessment.kernels if item.kernel.qualified_name in names]
    return costliest(new).kernel.qualified_name if new else kernel
