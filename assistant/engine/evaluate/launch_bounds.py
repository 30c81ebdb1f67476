"""``__launch_bounds__`` that every recorded launch keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.cuda.constants import integer_constant
from assistant.cuda.parse import parse_with_trees
from assistant.engine.evaluate.assess import Assessment
from assistant.engine.evaluate.instances import template_arguments
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Kernel

__all__ = ["kept_bounds"]


def kept_bounds(version: SourceVersion, assessment: Assessment) -> tuple[tuple[str, int], ...]:
    """(qualified name, threads of a block) of kernels whose bound all launches keep; one that is no constant is none that is known."""
    found: list[tuple[str, int]] = []
    trees = parse_with_trees(version.source)[1] if any(kernel.launch_bounds for kernel in version.parsed.kernels) else ()
    for kernel in (kernel for kernel in version.parsed.kernels if kernel.launch_bounds):
        items = assessment.of(kernel)
        most = max((launch.profile.config.block.count for item in items for launch in item.launches), default=0)
        bounds = _spelled(kernel, (item.instance for item in items))
        limits = [next((value for tree in trees if (value := integer_constant(tree, bound)) is not None), None) for bound in bounds]
        known = [limit for limit in limits if limit is not None]
        if known and len(known) == len(limits) and 0 < most <= min(known):
            found.append((kernel.qualified_name, min(known)))
    return tuple(found)


def _spelled(kernel: Kernel, instances: Iterable[str]) -> set[str]:
    """The kernel's first bound, with what each instance is made with in place of template parameters."""
    bound, names = kernel.launch_bounds[0], [parameter.name for parameter in kernel.template_parameters]
    found = set[str]()
    for instance in instances:
        values = dict(zip(names, template_arguments(kernel, instance), strict=False))
        found.add(re.sub(r"[A-Za-z_]\w*", lambda word, values=values: values.get(word[0], word[0]), bound))
    return found
