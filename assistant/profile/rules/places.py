"""Where a finding about the whole kernel or its launch is shown."""

from __future__ import annotations

from assistant.model.profile import LaunchProfile
from assistant.profile.context import FindContext

__all__ = ["kernel_line", "launch_line"]


def kernel_line(context: FindContext, profile: LaunchProfile) -> int:
    """Line of the kernel's name; without source facts the first counted line, then the launch."""
    if context.facts.kernel_line:
        return context.facts.kernel_line
    counted = [e.line for e in (*profile.executions, *profile.accesses) if e.line > 0]
    return min(counted, default=profile.line)


def launch_line(context: FindContext, profile: LaunchProfile) -> int:
    """The launch site; where it is not known (a replay), or lies in another file than the kernel, the kernel."""
    is_near = not profile.file or context.facts.is_of(profile.file)
    return (profile.line if is_near else 0) or kernel_line(context, profile)
