"""What the candidate's text decides by sizes and numbers that its launches do not show: branches that nobody ran, and numbers left unread.

Example::

    untried_findings(baseline, candidate, counted, cases)     # (VerificationFinding("assumption", NEEDS_DECISION, …),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.syntax import SyntaxTree
from assistant.engine.judge.changes import edited_files
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.verification import VerificationFinding
from assistant.verify.parameters import find_unread_in_new_kernels
from assistant.verify.untried_choices import KernelText, TriedLaunch, find_untried
from assistant.workload.recordings import NewCase
from assistant.workload.scalars import numbers_of

__all__ = ["untried_findings"]


def untried_findings(
    before: SourceVersion,
    after: SourceVersion,
    recorded: tuple[Recording | None, Recording | None],
    cases: Sequence[NewCase],
) -> tuple[VerificationFinding, ...]:
    """Of all kernels in the files that the edit changes. ``recorded``: what both programs launched; ``cases``: what B was run on."""
    own = [*_launches(recorded[1]), *(launch for case in cases for launch in case.recording.launches)]
    tried, known = _by_kernel(after, own), _by_kernel(before, _launches(recorded[0]))
    found: list[VerificationFinding] = []
    for old, new in edited_files(before, after):
        trees = SyntaxTree(old.source.text), SyntaxTree(new.source.text)
        originals = [KernelText(trees[0], kernel) for kernel in old.kernels]
        for kernel in new.kernels:
            found += find_untried(originals, KernelText(trees[1], kernel), tried.get(kernel.qualified_name, ()))
        values = ({name: [launch.values for launch in launches] for name, launches in side.items()} for side in (known, tried))
        found += find_unread_in_new_kernels(old, new, *values)
    return tuple(found)


def _launches(recording: Recording | None) -> tuple[RecordedLaunch, ...]:
    return () if recording is None else recording.launches


def _by_kernel(version: SourceVersion, launches: Iterable[RecordedLaunch]) -> Mapping[str, list[TriedLaunch]]:
    """By the kernel's qualified name."""
    text, found = version.struct_text, dict[str, list[TriedLaunch]]()
    for launch in launches:
        kernel = version.kernel_of(launch.kernel)
        if kernel is not None:
            parameters = instance_parameters(kernel, launch.kernel, version.aliases)
            values = numbers_of(launch, parameters, lambda name: layout_named(text, name))
            tried = TriedLaunch(values, launch.config.grid, launch.config.block, launch.chosen_blocks)
            found.setdefault(kernel.qualified_name, []).append(tried)
    return found
