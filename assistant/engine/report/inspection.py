"""What ``inspect`` reports: a source's kernels as the parser and the compiler see them. Nothing is run."""

from __future__ import annotations

from pathlib import Path

from assistant.build.occupancy import occupancy
from assistant.config import find_project
from assistant.cuda.instance_parameters import readable_instance
from assistant.engine.job import Job
from assistant.engine.report.reports import other_file
from assistant.engine.source_version import SourceVersion
from assistant.model import event_parts, events
from assistant.model.build import Build, BuildFailure, BuildResult, CompilerMissing, KernelResources
from assistant.model.profile import Severity
from assistant.model.source import Kernel, LaunchSite

__all__ = ["report_inspection"]

_ASSUMED_BLOCK_THREADS = (128, 256, 512, 1024)
"""Block sizes whose occupancy is shown: the launch's own is only known when the program runs."""
_SOURCES_SHOWN = 20


def report_inspection(job: Job, version: SourceVersion, build: BuildResult) -> None:
    """Diagnostics first, then one ``kernel`` event per selected kernel."""
    flags = version.program.flags
    if len(version.program.sources) > 1:
        job.say(Severity.INFORMATION, f"sources of the program: {_sources(version)}")
    job.say(Severity.INFORMATION, f"flags: {' '.join(flags.arguments) or 'none'} (from {flags.origin})")
    match build:
        case CompilerMissing(reason=reason, remedy=remedy):
            job.say(Severity.WARNING, f"no CUDA compiler: {reason}", remedy)
        case Build(diagnostics=diagnostics) | BuildFailure(diagnostics=diagnostics):
            if diagnostics:
                job.emit(events.Diagnostics(job.id, diagnostics))
    for problem in version.parsed.problems:
        job.say(Severity.WARNING, problem.message, line=problem.line)
    resources = build.resources if isinstance(build, Build) else ()
    for kernel in version.kernels:
        mine = tuple(item for item in resources if version.kernel_of(item.kernel) == kernel)
        job.emit(_kernel_event(job, version, kernel, mine))


def _sources(version: SourceVersion) -> str:
    """Its units and the headers with kernels, relative to the project of the file in question; the first of many."""
    project = find_project(version.source.path)
    found = version.found
    units = () if found is None else found.units
    paths = dict.fromkeys((*units, *(source.path for source in version.sources)))
    names = [str(path.relative_to(project) if path.is_relative_to(project) else path) for path in paths]
    more = f" and {len(names) - _SOURCES_SHOWN} more" if len(names) > _SOURCES_SHOWN else ""
    return f"{', '.join(names[:_SOURCES_SHOWN])}{more}"


def _kernel_event(job: Job, version: SourceVersion, kernel: Kernel, resources: tuple[KernelResources, ...]) -> events.KernelFound:
    return events.KernelFound(
        job=job.id,
        kernel=kernel.key,
        line=kernel.line,
        parameters=tuple(event_parts.ParameterFound(p.name, p.type, p.is_pointer, p.is_const, p.is_restrict) for p in kernel.parameters),
        template_parameters=tuple(f"{p.kind} {p.name}" for p in kernel.template_parameters),
        launch_bounds=kernel.launch_bounds,
        device_functions=kernel.device_functions,
        launches=tuple(_launch(job, file, site) for file, site in version.launch_sites_of(kernel)),
        resources=tuple(_resources(job, kernel, item) for item in resources),
        file=other_file(job, version.about(kernel).source.path),
    )


def _launch(job: Job, file: Path, site: LaunchSite) -> event_parts.LaunchFound:
    return event_parts.LaunchFound(
        line=site.line,
        function=site.function,
        grid=site.grid.text,
        block=site.block.text,
        shared=None if site.shared is None else site.shared.text,
        arguments=tuple(argument.text for argument in site.arguments),
        is_in_loop=site.is_in_loop,
        file=other_file(job, file),
    )


def _resources(job: Job, kernel: Kernel, item: KernelResources) -> event_parts.ResourcesFound:
    shares = tuple(
        (
            threads,
            occupancy(
                job.architecture,
                threads_per_block=threads,
                registers_per_thread=item.registers_per_thread,
                shared_bytes=item.static_shared_bytes,
            ),
        )
        for threads in _ASSUMED_BLOCK_THREADS
    )
    return event_parts.ResourcesFound(
        instance=readable_instance(kernel, item.kernel),
        architecture=item.architecture,
        registers_per_thread=item.registers_per_thread,
        spill_bytes=item.spill_load_bytes + item.spill_store_bytes,
        stack_bytes=item.stack_bytes,
        static_shared_bytes=item.static_shared_bytes,
        occupancy=tuple(
            event_parts.OccupancyFound(threads, share.active_warps_per_sm, share.max_warps_per_sm, share.limiter)
            for threads, share in shares
        ),
    )
