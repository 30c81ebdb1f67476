"""A version of the text as the rules that label edits look at it."""

from __future__ import annotations

from assistant.cuda.doubts import doubts
from assistant.cuda.host_work import host_work
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.word_arithmetic import word_arithmetic
from assistant.engine.evaluate.assess import Assessment
from assistant.engine.evaluate.launch_bounds import kept_bounds
from assistant.engine.source_version import SourceVersion
from assistant.model.build import Build
from assistant.verify.labels import VersionFacts

__all__ = ["version_facts"]


def version_facts(version: SourceVersion, assessment: Assessment) -> VersionFacts:
    """What label rules look at: the text, the flags and, with a compiler, the machine code."""
    code = assessment.build.code if isinstance(assessment.build, Build) else ()
    flags, tree = version.program.flags.arguments, SyntaxTree(version.source.text)
    return VersionFacts(
        version.parsed,
        code,
        flags,
        doubts=doubts(version.source.text),
        bounded=kept_bounds(version, assessment),
        work=host_work(tree),
        arithmetic=word_arithmetic(tree),
    )
