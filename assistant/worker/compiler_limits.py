"""What one compiler process may take, and which of it was not enough, in words.

A source can ask a compiler for anything: macros and templates that multiply, an array of terabytes. Example::

    limits = compiler_limits()
    limit_met(1, "as: a.o: File too large")     # "wrote a file of more than 512 MiB"
"""

from __future__ import annotations

import os
import re
import resource

from assistant.worker.launcher import Limits

__all__ = ["OUTPUT_BYTES", "compiler_limits", "limit_met"]

OUTPUT_BYTES = 4 << 20
"""Upper bound for a compiler's messages; what follows is read and dropped."""
_FILE_BYTES = 512 << 20
"""Upper bound for one file that a compiler writes (chosen): objects and programs of real projects stay far below."""
_MOST_MEMORY_BYTES = 8 << 30
"""Upper bound for one process (chosen): the largest translation units of CUTLASS take a half of it."""
_MEMORY_RATIO = 0.75
"""Share of the machine's memory."""
_NO_CORE_BYTES = 1
_OUT_OF_MEMORY = re.compile(
    r"out of memory|virtual memory exhausted|memory exhausted|Cannot allocate memory|std::bad_alloc|cannot allocate memory", re.IGNORECASE
)
"""In the words of gcc, as, ld, cudafe++, cicc and ptxas (GCC 12, binutils 2.40, CUDA 13.0; messages in English)."""
_FILE_TOO_LARGE = re.compile(r": '?File too large'?$", re.MULTILINE)


def compiler_limits() -> Limits:
    """For each process of a compiler. What it writes fails at the limit with words, instead of ending it."""
    resources = {
        "RLIMIT_AS": _memory_bytes(),
        "RLIMIT_FSIZE": _FILE_BYTES,
        "RLIMIT_CORE": _NO_CORE_BYTES,
    }
    return Limits(resources, is_file_limit_an_error=True)


def limit_met(status: int, output: str) -> str | None:
    """What a compiler that failed took too much of; None where it failed for another reason, a limit of the user's own among them."""
    if status == 0:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    is_ours = soft == resource.RLIM_INFINITY or soft > _FILE_BYTES
    if is_ours and _FILE_TOO_LARGE.search(output):
        return f"wrote a file of more than {_FILE_BYTES >> 20} MiB"
    if _OUT_OF_MEMORY.search(output):
        return f"needed more than {_memory_bytes() / (1 << 30):.1f} GiB of memory"
    return None


def _memory_bytes() -> int:
    """Limit of address space: memory is reserved before it is used. The user's own limit counts where it is lower."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return min(_MOST_MEMORY_BYTES, int(machine * _MEMORY_RATIO), *([] if soft == resource.RLIM_INFINITY else [soft]))
