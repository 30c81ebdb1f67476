"""An answer that is not made into an edit."""

from __future__ import annotations

from enum import StrEnum

from assistant.record import Record

__all__ = ["Unusable", "UnusableAnswer"]


class Unusable(StrEnum):
    """Why an answer cannot be made into an edit; `UnusableAnswer.reason` says the same about one answer, in words."""

    UNKNOWN_PART = "unknown_part"
    """It gives a part that was not shown."""
    REPEATED_PART = "repeated_part"
    """It gives a part, or a function that is a part, more than once."""
    EMPTY = "empty"
    ELIDED = "elided"
    """It says that it leaves code out."""
    NO_CHANGE = "no_change"
    """The text would stay as it is."""
    OVERLAP = "overlap"
    """Its changes touch the same characters."""
    UNCLEAR_TEXT = "unclear_text"
    """It holds invisible characters, or line ends that compilers read in their own ways."""
    BRACKETS = "brackets"
    """Its brackets do not match, or nest too deep."""
    CONDITIONS = "conditions"
    """An ``#if`` of the part ends outside, or the other way round."""
    DIRECTIVE = "directive"
    """A directive other than conditions, macros and ``#pragma unroll``."""
    FORBIDDEN_WORD = "forbidden_word"
    """A word that runs code when the program starts, asks for files or changes what other code means."""
    ASSEMBLY = "assembly"
    """Inline assembly that is more than instructions in literal text: assemblers read files."""
    HOST_FUNCTION = "host_function"
    """A function of the host, where host code may not be edited."""
    HOST_PART = "host_part"
    """It gives a host function or a launch, where host code may not be edited."""
    NAME_IN_USE = "name_in_use"
    """It defines a name that the text outside the parts uses."""
    DECLARATION = "declaration"
    """A declaration outside functions other than device code, types and compile-time constants, where host code may not be edited."""
    CODE_LOST = "code_lost"
    """Code outside the parts would be cut off or changed."""
    HOST_EFFECT = "host_effect"
    """Its device code could have an effect on the host (`assistant.verify.host_reach`), where host code may not be edited."""
    WORKLOAD_BLOCK = "workload_block"
    """It changes what the kernel is judged on."""
    LIBRARY = "library"
    """It calls a ready-made library, where that was not allowed."""
    HEADER = "header"
    """A header that is not on the list."""
    KERNEL_MISSING = "kernel_missing"
    """It does not define the kernel as often as before, and something still names it."""
    EXTRA_KERNEL = "extra_kernel"
    """It defines a kernel that nothing launches."""
    PARAMETERS = "parameters"
    """It changes the kernel's parameters, but not the arguments of each launch."""
    UNKNOWN_LAUNCH = "unknown_launch"
    """It changes a launch on a line that has none."""
    LAUNCH_EXPRESSION = "launch_expression"
    """A launch's new expression is malformed, or does more than compute."""


class UnusableAnswer(Record):
    """An answer that is refused, and why."""

    code: Unusable
    reason: str
    """Words that the model can act on and a person can read."""
