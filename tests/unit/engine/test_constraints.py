"""Which words become rules, and which edits break them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant.engine.proposals.constraints import all_rules, broken, constraint_of_rejection, forbidden, read_constraint
from assistant.engine.request import CandidateRules
from assistant.model.build import KernelResources
from assistant.model.proposal import REASON_CODES
from assistant.model.verification import Label

TECHNIQUES = ("loop-unrolling", "shared-memory-padding", "shared-tile", "staged-store", "float-literals")


def rules(words: str) -> CandidateRules | None:
    return read_constraint(words, TECHNIQUES).rules


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("keep block 256", CandidateRules(block_threads=256)),
        ("Block size 128 threads", CandidateRules(block_threads=128)),
        ("keep the launch", CandidateRules(may_change_launch=False)),
        ("no fast-math", CandidateRules(refused_labels=frozenset({Label.FAST_MATH}))),
        ("keep precision", CandidateRules(refused_labels=frozenset({Label.PRECISION, Label.FAST_MATH}))),
        ("no shared memory", CandidateRules(max_shared_bytes=0)),
        ("shared memory <= 16 KiB", CandidateRules(max_shared_bytes=16384)),
        ("registers at most 64", CandidateRules(max_registers=64)),
        ("no more than 32 registers", CandidateRules(max_registers=32)),
        ("at least 1.2x", CandidateRules(min_ratio=1.2)),
        ("no host code", CandidateRules(refused_labels=frozenset({Label.HOST_CODE}))),
        ("no unrolling", CandidateRules(excluded_techniques=frozenset({"loop-unrolling"}))),
        ("without staged-store", CandidateRules(excluded_techniques=frozenset({"staged-store"}))),
        ("only shared tile", CandidateRules(only_techniques=frozenset({"shared-tile"}))),
        ("only shared", CandidateRules(only_techniques=frozenset({"shared-tile", "shared-memory-padding"}))),
        ("shared up to 100", CandidateRules(max_shared_bytes=100)),
        ("shared up to 100 bytes", CandidateRules(max_shared_bytes=100)),
    ],
)
def test_words_that_can_be_checked_are_rules(words: str, expected: CandidateRules) -> None:
    assert rules(words) == expected


@pytest.mark.parametrize("words", ["be elegant", "no goto", "registers", "keep block sizes sensible"])
def test_other_words_are_kept_and_said_not_to_be_enforced(words: str) -> None:
    constraint = read_constraint(words, TECHNIQUES)
    assert constraint.rules is None and constraint.with_enforcement == f"{words} (not enforced: only a model planner can read it)"


def test_of_several_bounds_the_tightest_holds_and_sets_add_up() -> None:
    said = ("registers at most 64", "registers at most 48", "at least 1.1x", "at least 1.3x", "no unrolling", "no staged-store", "be nice")
    total = all_rules(read_constraint(words, TECHNIQUES) for words in said)
    assert (total.max_registers, total.min_ratio) == (48, 1.3)
    assert total.excluded_techniques == {"loop-unrolling", "staged-store"}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("no shared memory", "shared at most 2 kb"), CandidateRules(max_shared_bytes=0)),
        (("keep block 64", "keep block 128"), CandidateRules(block_threads=128)),
        (("keep block 64", "keep the launch"), CandidateRules(block_threads=64, may_change_launch=False)),
        (("keep the launch", "keep block 64"), CandidateRules(block_threads=64, may_change_launch=False)),
        (("only shared tile", "only staged-store"), CandidateRules(only_techniques=frozenset({"staged-store"}))),
        (("only shared tile", "at least 2x"), CandidateRules(only_techniques=frozenset({"shared-tile"}), min_ratio=2.0)),
        (("no host code", "no fast-math"), CandidateRules(refused_labels=frozenset({Label.HOST_CODE, Label.FAST_MATH}))),
        ((), CandidateRules()),
    ],
)
def test_of_choices_the_later_one_holds_and_what_it_says_nothing_of_stays(said: tuple[str, ...], expected: CandidateRules) -> None:
    assert all_rules(read_constraint(words, TECHNIQUES) for words in said) == expected


@pytest.mark.parametrize("code", [*REASON_CODES, None])
def test_every_reason_to_reject_becomes_a_constraint_that_is_enforced(code: str | None) -> None:
    words = constraint_of_rejection(code, ("staged-store", "loop-unrolling"), 1.04)
    assert rules(words) not in (None, CandidateRules())


def test_a_rejection_without_a_reason_is_one_of_the_first_technique() -> None:
    assert constraint_of_rejection(None, ("staged-store", "loop-unrolling"), 1.04) == "no staged-store"


def test_a_rejection_as_not_worth_it_asks_for_more_than_was_offered() -> None:
    assert rules(constraint_of_rejection("not-worth-it", ("staged-store",), 1.04)) == CandidateRules(min_ratio=1.05)


def test_an_excluded_technique_and_a_refused_label_are_not_used() -> None:
    assert forbidden(CandidateRules(excluded_techniques=frozenset({"a"})), "a", ()) == "a is excluded"
    assert forbidden(CandidateRules(only_techniques=frozenset({"b"})), "a", ()) == "a is excluded"
    assert forbidden(CandidateRules(only_techniques=frozenset({"a"})), "a", ()) is None
    assert forbidden(CandidateRules(), "a", (Label.PRECISION,)) is None
    refusing = CandidateRules(refused_labels=frozenset({Label.PRECISION}))
    assert forbidden(refusing, "a", (Label.PRECISION,)) == "it carries the label precision"
    assert forbidden(refusing, "a", (Label.HOST_CODE,)) is None


def test_what_ran_is_held_to_its_launch(assessed: Any) -> None:
    before, after = assessed(threads=64), assessed(threads=128)
    assert broken(CandidateRules(may_change_launch=False), before, after, ()) == ("it changes the launch",)
    assert broken(CandidateRules(may_change_launch=False), before, before, ()) == ()
    assert broken(CandidateRules(block_threads=64), before, after, ()) == ("it launches blocks of 128 threads, not of 64",)
    assert broken(CandidateRules(block_threads=128), before, after, ()) == ()
    mixed = (*after, *before)
    assert broken(CandidateRules(block_threads=64), before, mixed, ()) == ("it launches blocks of 64, 128 threads, not of 64",)
    refusing = CandidateRules(may_change_launch=False, refused_labels=frozenset({Label.PRECISION, Label.FAST_MATH}))
    told = broken(refusing, before, after, (Label.PRECISION, Label.HOST_CODE, Label.FAST_MATH))
    assert told == ("it changes the launch", "it carries the label fast-math, precision")


def test_what_ran_is_held_to_its_registers_and_shared_memory(assessed: Any) -> None:
    resources = KernelResources("k(float*)", "_Z1kPf", "sm_90", 40, 0, 0, 0, 4224, 0)
    after = tuple(replace(item, resources=resources) for item in assessed())
    assert broken(CandidateRules(max_registers=32), (), after, ()) == ("it takes 40 registers per thread (ptxas), more than 32",)
    (told,) = broken(CandidateRules(max_shared_bytes=0), (), after, ())
    assert told == "it takes 4,224 bytes of shared memory per block (ptxas and launch), more than 0"
    assert broken(CandidateRules(max_registers=40, max_shared_bytes=4224), (), after, ()) == ()
    (launch,) = after[0].launches
    dynamic = replace(launch.profile, config=replace(launch.profile.config, shared_bytes=128))
    after = tuple(replace(item, launches=(replace(launch, profile=dynamic),)) for item in after)
    (told,) = broken(CandidateRules(max_shared_bytes=4224), (), after, ())
    assert "4,352 bytes" in told  # what the kernel declares, and what its launch asks for
    less = replace(resources, registers_per_thread=24, static_shared_bytes=0)
    both = (after[0], replace(after[0], resources=less), replace(after[0], resources=None))
    assert [words.split()[2] for words in broken(CandidateRules(max_registers=39, max_shared_bytes=4351), (), both, ())] == ["40", "4,352"]
    undeclared = (replace(after[0], resources=None),)
    assert broken(CandidateRules(max_registers=0, max_shared_bytes=128), (), undeclared, ()) == ()
    (told,) = broken(CandidateRules(max_registers=0, max_shared_bytes=127), (), undeclared, ())
    assert "128 bytes" in told
    assert broken(CandidateRules(max_shared_bytes=0), (), (), ()) == ()


def test_a_kernel_that_others_took_the_place_of_keeps_no_block() -> None:
    (told,) = broken(CandidateRules(block_threads=64), (), (), ())
    assert told == "it does not launch the kernel any more, whose blocks were to have 64 threads"
