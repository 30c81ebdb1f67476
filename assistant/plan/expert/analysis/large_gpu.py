"""How many blocks give a large GPU work: an H100 or H200, of 132 multiprocessors each (NVIDIA H100 and H200 data sheets).

Example::

    blocks // 4 >= BUSY_BLOCKS      # threads may do four times as much, and no multiprocessor is without work
"""

from __future__ import annotations

__all__ = ["BUSY_BLOCKS", "FULL_BLOCKS", "FULL_THREADS"]

_SM_COUNT = 132
BUSY_BLOCKS = 2 * _SM_COUNT
"""Two for each multiprocessor."""
FULL_BLOCKS = 8 * _SM_COUNT
"""As many blocks of 256 threads as it holds at once."""
FULL_THREADS = 2048 * _SM_COUNT
"""What all multiprocessors hold at once."""
