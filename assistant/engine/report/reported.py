"""``profile --report``: a report of Nsight Compute shown like a run of our own, tied to its source where that is at hand.

Example::

    found = locate(request, await load_report(request.report))
    await runner.run("profile", found.request, lambda job, version: found.emit_profile(job, version, keep), listener, found.version)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.cuda.match import kernel_of_instance, select_kernels, unseen_kernel
from assistant.engine.job import Ending, Job
from assistant.engine.reading import read_version
from assistant.engine.report.stages import KeepReport, profile
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.errors import UsageError
from assistant.lab.report import with_file
from assistant.measure.targets import target_for_device
from assistant.model.build import Flags
from assistant.model.profile import Severity
from assistant.model.report import ProfilerReport
from assistant.model.source import Kernel, ParsedSource
from assistant.profile.quantity import counted_noun
from assistant.record import Record

__all__ = ["ReportWithSource", "locate"]

_SYSTEM_FOLDERS = ("/usr/", "/opt/")
"""Where toolkits put their headers; a kernel's own file lies elsewhere, or nowhere."""


class ReportWithSource(Record):
    """A report next to the source that it is about."""

    request: JobRequest
    """A request about the source: its ``file``, and its text where only the report has it."""
    report: ProfilerReport
    warnings: tuple[str, ...]

    def version(self, request: JobRequest, flags: Flags) -> SourceVersion:
        """The source with every kernel of the report, those too whose text is not at hand. Raises as ``read_version`` does."""
        read = read_version(replace(request, kernel=None), flags)
        parsed = replace(read.parsed, kernels=(*read.parsed.kernels, *_unseen(read.parsed, self.report)), has_main=True)
        selection = replace(read.selection, kernel=request.kernel)
        launched = {kernel_of_instance(parsed, launch.kernel) for launch in self.report.launches}
        selected = tuple(kernel for kernel in _selected(parsed, request.kernel) if kernel in launched)
        return replace(read, selection=selection, parsed=parsed, kernels=selected, declared=())

    async def emit_profile(self, job: Job, version: SourceVersion, keep: KeepReport | None) -> Ending:
        """What the report lacks, then its launches as ``profile`` shows them."""
        for warning in self._said():
            job.say(Severity.WARNING, warning)
        return await profile(job, version, keep)

    def _said(self) -> Iterator[str]:
        yield from self.warnings
        yield from self.report.notes
        if self.report.unread_count:
            read = counted_noun(len(self.report.launches), "launch", "launches")
            yield f"only the first {read} are read; the report holds {self.report.unread_count} more"


def locate(request: JobRequest, report: ProfilerReport) -> ReportWithSource:
    """Which source the report is tied to: ``request.file``, or, where that is the report itself, the one that most of it is about.

    Raises UsageError where the report is about none of that name.
    """
    files = _files(report)
    if request.file != request.report:
        return _tied_to(request, report, files)
    chosen = next((file for file in files if not file.startswith(_SYSTEM_FOLDERS)), None)
    asked = _for_device(request, report)
    warnings = _unlisted(request, report)
    if chosen is None:
        return ReportWithSource(replace(asked, texts=((request.file, ""),)), report, warnings)
    path = Path(chosen)
    text = _text(report, chosen)
    if text or not path.is_file():
        asked = replace(asked, texts=((path, text),))
    return ReportWithSource(replace(asked, file=path), report, warnings)


def _tied_to(request: JobRequest, report: ProfilerReport, files: tuple[str, ...]) -> ReportWithSource:
    """To a file of the same name: reports are made elsewhere and read here."""
    path = str(request.file)
    same_name = [file for file in files if Path(file).name == request.file.name]
    old = path if path in files else next(iter(same_name), None)
    if old is None:
        listed = ", ".join(files) or "none: compile with -lineinfo"
        raise UsageError(f"{request.report} is not about {request.file.name}", f"its sources: {listed}")
    asked = _for_device(request, report)
    warnings = list(_unlisted(request, report))
    made_of = _text(report, old)
    if made_of and request.file.is_file() and request.file.read_text("utf-8", "replace") != made_of:
        warnings.append(f"{request.file.name} is not the text that was profiled: lines may have moved")
    return ReportWithSource(asked, with_file(report, old, path), tuple(warnings))


def _for_device(request: JobRequest, report: ProfilerReport) -> JobRequest:
    device = target_for_device(report.device)
    return replace(request, target=request.target or (None if device is None else device.name), needs_kernels=False)


def _unlisted(request: JobRequest, report: ProfilerReport) -> tuple[str, ...]:
    if request.target is not None or target_for_device(report.device) is not None:
        return ()
    return (f"{report.device} is in no table of peaks: times are predicted for the default target; choose one with --target",)


def _files(report: ProfilerReport) -> tuple[str, ...]:
    """Source files by how much of the launches ran in them, most first."""
    weights: Counter[str] = Counter()
    for launch in report.launches:
        for ran in launch.executions:
            if ran.line:
                weights[ran.file] += ran.warp_executions
    return tuple(file for file, _ in weights.most_common())


def _text(report: ProfilerReport, path: str) -> str:
    return next((source.text for source in report.sources if source.path == path), "")


def _unseen(parsed: ParsedSource, report: ProfilerReport) -> tuple[Kernel, ...]:
    """Kernels of the report that the source does not define: a library's, another file's."""
    instances = dict.fromkeys(launch.kernel for launch in report.launches)
    made = (unseen_kernel(instance) for instance in instances if kernel_of_instance(parsed, instance) is None)
    return tuple({(kernel.key, len(kernel.template_parameters)): kernel for kernel in made if kernel is not None}.values())


def _selected(parsed: ParsedSource, selector: str | None) -> tuple[Kernel, ...]:
    if selector is None:
        return parsed.kernels
    selected = select_kernels(parsed, selector)
    if not selected:
        raise UsageError(f"the report has no kernel {selector!r}", f"it has: {', '.join(kernel.key for kernel in parsed.kernels)}")
    return selected
