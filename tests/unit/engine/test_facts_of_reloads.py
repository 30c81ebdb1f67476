"""What the rules are told of loads that a loop makes again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.facts import source_facts
from assistant.model.source import Source
from assistant.profile.facts import InvariantLoad, SourceFacts

FILTER = """__global__ void k(float *c, const float *a, int n) {
  const float *p = a + threadIdx.x;
  for (int j = 0; j < n; j++) {
    c[j] = p[0] + p[j] * p[1];
  }
}
"""
BANK = """struct Q { float b; };
__global__ void k(float *c, Q *bank, int n) {
  Q &q = bank[threadIdx.x];
  for (int j = 0; j < n; j++) c[j] = q.b;
}
"""


def facts_of(text: str) -> SourceFacts:
    parsed = parse(Source(Path("/k.cu"), text))
    return source_facts(parsed, parsed.kernels[0])


def test_loads_through_local_pointers_are_those_of_the_parameter() -> None:
    line = facts_of(FILTER).at("k.cu", 4)
    assert (line.invariant_loads, line.varying_load_count) == ((InvariantLoad("a"), InvariantLoad("a")), 1)


def test_loads_through_references_are_those_of_the_parameter() -> None:
    assert facts_of(BANK).at("k.cu", 4).invariant_loads == (InvariantLoad("bank"),)


def test_a_reference_does_not_write_but_what_is_stored_through_it_does() -> None:
    assert [p.name for p in facts_of(BANK).pointers if p.is_written] == ["c"]
    assert [p.name for p in facts_of(BANK.replace("c[j] = q.b", "q.b += c[j]")).pointers if p.is_written] == ["bank"]


@pytest.mark.parametrize(
    ("old", "new", "known"),
    [
        ("const float *a", "const volatile float *a", ()),
        ("const float *a", "volatile const float *__restrict__ a", ()),
        ("const float *p", "const volatile float *p", ()),
        ("float *c", "volatile float *c", (InvariantLoad("a"), InvariantLoad("a"))),
    ],
)
def test_what_is_volatile_has_to_be_loaded_again(old: str, new: str, known: tuple[InvariantLoad, ...]) -> None:
    assert facts_of(FILTER.replace(old, new)).at("k.cu", 4).invariant_loads == known
