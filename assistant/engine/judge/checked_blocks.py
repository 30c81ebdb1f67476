"""What a verdict says of launches that a GPU ran whole and the emulator checked on some of their blocks.

Example::

    checked_on_blocks(cases, kernels).missing
    # ("races, bounds and uninitialised reads of k(float *, int) at n=4096: the emulator checked 64 of 65,536 blocks; it ran all of n=64",)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.trying import in_part
from assistant.record import Record
from assistant.workload.chosen_blocks import chosen_in
from assistant.workload.recordings import NewCase

__all__ = ["CheckedOnBlocks", "checked_on_blocks"]


class CheckedOnBlocks(Record):
    """What was not checked on whole launches."""

    missing: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    """Of kernels that no launch was checked of whole, for the verdict line."""


def checked_on_blocks(cases: Sequence[tuple[PreparedCase, NewCase]], kernels: Collection[str]) -> CheckedOnBlocks:
    """``cases``: those that were checked, as B ran them; ``kernels``: keys of those that are judged."""
    missing: dict[str, None] = {}
    caveats: dict[str, None] = {}
    for kernel in dict.fromkeys(item.case.kernel for item, _ in cases):
        mine = [new for item, new in cases if item.case.kernel == kernel]
        whole = [new.origin.shape for new in mine if not chosen_in(in_part(new))]
        for new in mine:
            part = chosen_in(in_part(new))
            if not part:
                continue
            blocks = f"{len(part):,} of {new.recording.launches[0].config.grid.count:,} blocks"
            shape = new.origin.shape
            smaller = f"; it ran all of {whole[0]}" if whole else ""
            missing.setdefault(f"races, bounds and uninitialised reads of {kernel} at {shape}: the emulator checked {blocks}{smaller}")
            if not whole and kernel in kernels:
                caveats.setdefault(f"races and bounds checked on {blocks}")
    return CheckedOnBlocks(tuple(missing), tuple(caveats))
