"""Do the kernels of an edited program fit its launches? What is plainly forgotten goes back to its writer before anything is compiled.

Example::

    signature_problem(region, after, confirmed)     # UnusableAnswer(PARAMETERS, "it changes the parameters of k but not …") or None
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.cuda.code_text import blanked, without
from assistant.cuda.same_names import without_file
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Kernel, ParsedSource
from assistant.plan.llm.code.launching import declared_launches
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer

__all__ = ["signature_problem"]


def signature_problem(region: Region, after: Mapping[Path, ParsedSource], confirmed: frozenset[tuple[Path, int]]) -> UnusableAnswer | None:
    """Why the edited files' kernels are not what their launches expect. ``confirmed``: files and lines of the launches
    that the answer writes anew."""
    files = tuple(after[file.source.path] for file in region.files)
    return _missing(region, files) or _repeated(region, files) or _unused(region, files) or _parameters(region, files, confirmed)


def _names(files: tuple[ParsedSource, ...]) -> list[str]:
    return [without_file(kernel.qualified_name) for file in files for kernel in file.kernels]


def _missing(region: Region, files: tuple[ParsedSource, ...]) -> UnusableAnswer | None:
    """A kernel that is gone, though something still names it; one that others took the place of may go."""
    own, kernel = without_file(region.kernel.qualified_name), region.kernel
    before, now = _names(region.files).count(own), _names(files).count(own)
    is_wanted = not region.may_edit_host or declared_launches(region.parsed, kernel) or any(kernel.name in _words(file) for file in files)
    if now == before or (now < before and not is_wanted):
        return None
    reason = f"it must define the kernel {kernel.name} exactly as often as before, under the same name"
    return UnusableAnswer(Unusable.KERNEL_MISSING, reason)


def _repeated(region: Region, files: tuple[ParsedSource, ...]) -> UnusableAnswer | None:
    """A device function that is defined once more; overloads are distinguished by their order."""
    for before, now in zip(region.files, files, strict=True):
        functions, defined = [f.name for f in before.device_functions], [f.name for f in now.device_functions]
        ids = (part.id for part in region.parts_of(before))
        repeated = next((name for name in ids if name in functions and defined.count(name) > functions.count(name)), None)
        if repeated is not None:
            return UnusableAnswer(Unusable.REPEATED_PART, f"it defines {repeated} once more; that function is a part of its own")
    return None


def _unused(region: Region, files: tuple[ParsedSource, ...]) -> UnusableAnswer | None:
    """A new kernel that nothing names."""
    known = set(_names(region.files))
    for file in files:
        for kernel in file.kernels:
            if without_file(kernel.qualified_name) not in known and not any(kernel.name in _words(other) for other in files):
                where = (
                    "its host function" if region.may_edit_host else "host code, which may not be edited here; write a __device__ function"
                )
                return UnusableAnswer(
                    Unusable.EXTRA_KERNEL, f"it defines a further kernel, {kernel.name}, which nothing launches: change {where}"
                )
    return None


def _words(file: ParsedSource) -> frozenset[str]:
    """What the text says outside definitions of kernels, where a kernel is launched or its address taken."""
    return words_in_code(blanked(without(file.source.text, ((kernel.span.start, kernel.span.end) for kernel in file.kernels))))


def _parameters(region: Region, files: tuple[ParsedSource, ...], confirmed: frozenset[tuple[Path, int]]) -> UnusableAnswer | None:
    """Changed parameters where a launch stays as it was."""
    kernel, parsed = region.kernel, region.parsed
    own = without_file(kernel.qualified_name)
    index = [k.span for k in parsed.kernels if without_file(k.qualified_name) == own].index(kernel.span)
    now = [k for k in files[0].kernels if without_file(k.qualified_name) == own]
    if index >= len(now) or _call_form(now[index]) == _call_form(kernel):
        return None
    sites = [(file.source.path, site.line) for file in region.files for site in file.launch_sites_of(kernel)]
    if not sites:
        reason = f"it changes the parameters of {kernel.name}, whose launches are not in this text; keep number, order and types"
        return UnusableAnswer(Unusable.PARAMETERS, reason)
    missing = [site for site in sites if site not in confirmed]
    if not missing:
        return None
    places = ", ".join(str(line) if path == parsed.source.path else f"{line} of {path.name}" for path, line in missing)
    reason = f"it changes the parameters of {kernel.name} but not the arguments of its launch at line {places}: give `launches` for it"
    return UnusableAnswer(Unusable.PARAMETERS, reason)


def _call_form(kernel: Kernel) -> tuple[str, ...]:
    """What a caller must know: the parameters but for names, const and __restrict__; of template parameters compilers say more."""
    return tuple(" ".join(p.type.replace("const", " ").replace("*", " * ").split()) for p in kernel.parameters)
