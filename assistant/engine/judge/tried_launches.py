"""What the candidate's text decides by sizes and numbers that its launches do not show: branches that nobody ran, and numbers left unread.

Example::

    untried_findings(baseline, candidate, counted, cases)     # (VerificationFinding("assumption", NEEDS_DECISION, …),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.syntax import SyntaxTree
from assistant.engine.judge.changes import edited_files, same_kernel
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.source import Kernel, ParsedSource
from assistant.model.verification import VerificationFinding
from assistant.verify.parameters import find_unread_in_new_kernels, reads_its_one_float
from assistant.verify.untried_choices import KernelText, TriedLaunch, find_untried
from assistant.workload.recordings import NewCase
from assistant.workload.scalars import numbers_of

__all__ = ["kept_numbers", "untried_findings", "well_read"]


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


def well_read(kernels: frozenset[str], before: SourceVersion, after: SourceVersion) -> frozenset[str]:
    """Those of A's ``kernels`` (by key) of which B's reads the one floating number that it is passed."""
    found = set[str]()
    for kernel in (kernel for file in before.files for kernel in file.kernels if kernel.key in kernels):
        other = same_kernel(kernel, before, after)
        file = next((file for file in after.files if other is not None and other in file.kernels), None)
        if other is not None and file is not None and reads_its_one_float(file, other):
            found.add(kernel.key)
    return frozenset(found)


def kept_numbers(before: SourceVersion, after: SourceVersion, own: Recording | None, cases: Sequence[NewCase]) -> tuple[str, ...]:
    """What no case says of floating numbers that every launch of an edited kernel is passed alike; nothing of zeros, which are often
    there to be none. ``own``: what B launched; ``cases``: what B was run on, of edited kernels; empty where only programs were compared.
    """
    old = {_body(file, kernel) for file in before.files for kernel in file.kernels}
    edited = {kernel.qualified_name for file in after.files for kernel in file.kernels if _body(file, kernel) not in old}
    tried = _by_kernel(after, [launch for case in cases for launch in case.recording.launches] or _launches(own))
    found = [(kernel, _alike(launches)) for kernel, launches in tried.items() if cases or kernel in edited]
    return tuple(
        f"{kernel} with values of {', '.join(alike)} other than {', '.join(f'{value:g}' for value in alike.values())}"
        for kernel, alike in found
        if alike
    )


def _alike(launches: Sequence[TriedLaunch]) -> dict[str, float]:
    """Floating numbers other than 0 that are the same in all launches."""
    first = {name: value for name, value in launches[0].values.items() if not isinstance(value, int) and value}
    return {name: value for name, value in first.items() if all(launch.values.get(name) == value for launch in launches)}


def _body(file: ParsedSource, kernel: Kernel) -> str:
    return file.source.text[kernel.body.start : kernel.body.end]


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
