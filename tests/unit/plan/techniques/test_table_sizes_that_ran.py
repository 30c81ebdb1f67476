"""A table whose size the text does not show, as that of an array from Python, is as large as in the launches that ran; the edit says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.model.recorded_facts import FactsOrigin, PointerReach, RecordedFacts
from assistant.model.verification import Label
from assistant.plan.expert.private_histogram import PrivateHistogram

TEXT = """\
// kernel=count line=7 finding=KO110
#define BINS 64
__global__ void count(const int *x, int *hist, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&hist[x[i] % 64], 1);
}
"""
LAUNCH = '/* kernelopt\n[workload.count]\ngrid = ["ceil(n/256)"]\nblock = [256]\n*/\n'


@pytest.fixture
def result(context_of):
    def check(text: str, *reaches: PointerReach, origin: FactsOrigin = FactsOrigin.BOUND):
        facts = RecordedFacts("count", origin, 1, 1, (), (), (), ())
        return PrivateHistogram().rewrite(
            replace(context_of(text), launches=(LaunchConfig(Dim3(3), Dim3(256)),), recorded=facts, reaches=reaches)
        )

    return check


def test_the_array_that_was_bound_gives_the_size_and_the_edit_assumes_it(result, applied):
    (rewrite,) = result(TEXT, PointerReach("x", 4000, 4000), PointerReach("hist", 256, 256))
    after = applied(TEXT, rewrite)
    assert "__shared__ int block_hist[64];" in after and "bin < 64;" in after
    assert "atomicAdd(&block_hist[x[i] % 64], 1);" in after
    assert rewrite.labels.count(Label.ASSUMPTION) == 1
    assert "`hist` has no more than 64 elements: true in the only bound launch" in rewrite.assumptions[-1]


@pytest.mark.parametrize("index", ["x[i] % BINS", "bin_of"])
def test_the_constant_that_the_index_is_made_with_names_the_size(result, applied, index):
    text = TEXT.replace("x[i] % 64", index).replace("    if (i < n)\n", "    int bin_of = x[i] % BINS; if (i < n)\n")
    (rewrite,) = result(text, PointerReach("hist", 256, 256))
    assert "__shared__ int block_hist[BINS];" in applied(text, rewrite)


def test_a_workloads_array_does_too(result):
    (rewrite,) = result(TEXT, PointerReach("hist", 256, 256), origin=FactsOrigin.DECLARED)
    assert "true in the only declared launch; your callers decide" in rewrite.assumptions[-1]


@pytest.mark.parametrize(
    ("reaches", "code"),
    [
        ((), DeclineReason.SIZE_UNKNOWN),
        ((PointerReach("x", 4000, 4000),), DeclineReason.SIZE_UNKNOWN),
        ((PointerReach("hist", 256, 512),), DeclineReason.SIZE_UNKNOWN),
        ((PointerReach("hist", 0, 0),), DeclineReason.SIZE_UNKNOWN),
        ((PointerReach("hist", 1 << 20, 1 << 20),), DeclineReason.LIMIT_EXCEEDED),
    ],
)
def test_without_one_size_of_all_launches_that_fits_it_is_declined(result, reaches, code):
    declined = result(TEXT, *reaches)
    assert isinstance(declined, Decline) and declined.code is code


def test_bytes_bound_a_table_only_where_all_its_indices_are_bytes(result):
    text = TEXT.replace("const int *x", "const unsigned char *x").replace("% 64", "")
    two = text.replace("        atomicAdd", "        atomicAdd(&hist[n - i], 1), 0;\n    if (i < n)\n        atomicAdd").replace(
        "), 0;", ");"
    )
    (rewrite,) = result(text)
    assert all("elements" not in assumption for assumption in rewrite.assumptions)
    declined = result(two.replace("line=7", "line=9"))
    assert isinstance(declined, Decline) and declined.code is DeclineReason.SIZE_UNKNOWN


def test_more_elements_a_thread_are_only_offered_where_the_launch_is_there_to_have_fewer_blocks(context_of):
    facts = RecordedFacts("count", FactsOrigin.BOUND, 1, 1, (), (), (), ())
    found = []
    for text in (TEXT, TEXT + LAUNCH):
        ran = replace(context_of(text), launches=(LaunchConfig(Dim3(4000), Dim3(256)),), recorded=facts)
        found.append(PrivateHistogram().rewrite(replace(ran, reaches=(PointerReach("hist", 256, 256),))))
    (of_python,), (coarse, plain) = found
    assert "let a thread take" not in of_python.summary and "let a thread take" not in plain.summary
    assert "let a thread take" in coarse.summary and any("ceil(" in edit.new_text for edit in coarse.edits)
