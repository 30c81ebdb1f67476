"""A version of the text as the rules that label edits look at it."""

from __future__ import annotations

from assistant.cuda.doubts import doubts
from assistant.cuda.host_work import host_work
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.word_arithmetic import word_arithmetic
from assistant.engine.evaluate.assess import Assessment
from assistant.engine.evaluate.launch_bounds import kept_bounds
from assistant.engine.subject import Subject
from assistant.model.build import Build
from assistant.verify.labels import Version

__all__ = ["candidate_version"]


def candidate_version(subject: Subject, assessment: Assessment) -> Version:
    """What label rules look at: the text, the flags and, with a compiler, the machine code."""
    code = assessment.build.code if isinstance(assessment.build, Build) else ()
    flags, tree = subject.program.flags.arguments, SyntaxTree(subject.source.text)
    return Version(
        subject.parsed,
        code,
        flags,
        doubts=doubts(subject.source.text),
        bounded=kept_bounds(subject, assessment),
        work=host_work(tree),
        arithmetic=word_arithmetic(tree),
    )
