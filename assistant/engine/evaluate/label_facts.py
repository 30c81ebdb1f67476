"""A version of the text as the rules that label edits look at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.cuda.constants import integer_constant
from assistant.cuda.doubts import doubts
from assistant.cuda.host_work import host_work
from assistant.cuda.match import kernel_of_instance, template_arguments_of
from assistant.cuda.parse import parse_with_trees
from assistant.cuda.spelling import substitute
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.word_arithmetic import word_arithmetic
from assistant.engine.evaluate.assessment import Assessment
from assistant.engine.source_version import SourceVersion
from assistant.model.build import Build
from assistant.model.source import Kernel
from assistant.verify.labels import VersionFacts

__all__ = ["facts_of_kernels", "kept_bounds", "text_facts", "version_facts"]


def version_facts(version: SourceVersion, assessment: Assessment) -> VersionFacts:
    """What label rules look at: the text, the flags and, with a compiler, the machine code."""
    code = assessment.build.code if isinstance(assessment.build, Build) else ()
    return replace(text_facts(version), code=code, bounded=kept_bounds(version, assessment))


def text_facts(version: SourceVersion) -> VersionFacts:
    """As ``version_facts``, of the text and the flags alone."""
    flags, tree = version.program.flags.arguments, SyntaxTree(version.source.text)
    return VersionFacts(
        version.parsed,
        flags=flags,
        doubts=doubts(version.source.text),
        work=host_work(tree),
        arithmetic=word_arithmetic(tree),
    )


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
    return {substitute(bound, dict(zip(names, template_arguments_of(kernel, instance), strict=False))) for instance in instances}


def facts_of_kernels(facts: VersionFacts, kernels: Sequence[Kernel]) -> VersionFacts:
    """The version with these kernels in question alone, and their machine code."""
    code = tuple(item for item in facts.code if kernel_of_instance(facts.parsed, item.kernel) in kernels)
    return replace(facts, code=code, kernels=tuple(kernel.qualified_name for kernel in kernels))
