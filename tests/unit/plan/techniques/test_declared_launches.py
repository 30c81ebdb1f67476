"""Edits that depend on how a kernel is launched, where the launch is declared and not in the text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.model.verification import Label
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.shared_tile import SharedTile
from assistant.plan.expert.staged_store import StagedStore

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"


def test_a_launch_that_is_only_declared_is_advice_that_a_person_must_follow(context_of):
    (first, *_) = BlockSizeSearch().rewrite(context_of(_without_main("declared_workload")))
    assert first.labels == (Label.ASSUMPTION,)
    assert first.summary.endswith("; change your launch accordingly.")
    assert first.assumptions[0].startswith("your own code launches triple with blocks of 128 threads and a grid to match")


def test_a_launch_in_the_text_is_host_code_and_assumes_nothing(context_of):
    (first, *_) = BlockSizeSearch().rewrite(context_of((DATA / "block-size-search" / "declared_workload.cu").read_text("utf-8")))
    assert (first.labels, first.assumptions) == ((Label.HOST_CODE,), ())


@pytest.mark.parametrize("key", ["grid", "block"])
def test_a_declared_launch_that_was_guessed_is_not_built_upon(key, context_of):
    text = re.sub(rf"^({key} .*)$", r"\1   # guessed: one thread per element", _without_main("declared_workload"), flags=re.MULTILINE)
    result = BlockSizeSearch().rewrite(context_of(text))
    assert isinstance(result, Decline) and result.code is DeclineReason.LAUNCH_GUESSED


def test_a_guess_does_not_matter_where_the_text_launches(context_of):
    text = (DATA / "block-size-search" / "declared_workload.cu").read_text("utf-8")
    text = text.replace("[1024]", "[1024]   # guessed: one thread per element")
    assert not isinstance(BlockSizeSearch().rewrite(context_of(text)), Decline)


def _without_main(name: str) -> str:
    return (DATA / "block-size-search" / f"{name}.cu").read_text("utf-8").partition("int main()")[0]


def test_axes_of_a_launch_that_is_only_declared_must_be_exchanged_by_a_person(context_of):
    text = (DATA / "coalescing-interchange" / "declared_workload.cu").read_text("utf-8").partition("int main()")[0]
    text = text.replace("[16, 16]", "[32, 8]").replace("rows/16", "rows/32").replace("cols/16", "cols/8")
    text = text.replace("blockIdx.x * 16", "blockIdx.x * blockDim.x").replace("blockIdx.y * 16", "blockIdx.y * blockDim.y")
    (only,) = CoalescingInterchange().rewrite(context_of(text))
    assert only.labels == (Label.ASSUMPTION,)
    assert only.summary.endswith("; change your launch accordingly.")
    assert only.assumptions[0].startswith("your own code launches halve with x and y of grid and block exchanged")
    guessed = CoalescingInterchange().rewrite(context_of(text.replace("8]\n", "8]   # guessed: one thread per element\n")))
    assert isinstance(guessed, Decline) and guessed.code is DeclineReason.LAUNCH_GUESSED


DECLARED = """/* kernelopt
[workload.{kernel}]
grid = ["ceil(n/16)", "ceil(n/16)"]
block = [16, 16]{remark}
*/
"""


def test_a_tile_that_must_match_a_launch_elsewhere_needs_a_person(context_of):
    text = (DATA / "shared-tile" / "matmul_check_around_the_loop.cu").read_text("utf-8").partition("int main()")[0]
    context = replace(context_of(text), launches=(LaunchConfig(Dim3(4, 4), Dim3(16, 16)),))

    def with_declared(remark: str):
        declared = text + DECLARED.format(kernel=context.kernel.name, remark=remark)
        return SharedTile().rewrite(replace(context_of(declared), launches=context.launches))

    (only,) = with_declared("")
    assert only.labels == (Label.ASSUMPTION,)
    assert only.assumptions[0].startswith(f"your own code launches {context.kernel.name} with blocks of 16 x 16 threads")
    guessed = with_declared("   # guessed: one thread per element")
    assert isinstance(guessed, Decline) and guessed.code is DeclineReason.LAUNCH_GUESSED


def test_a_staging_tile_that_must_match_a_launch_elsewhere_needs_a_person(context_of):
    text = (DATA / "staged-store" / "declared_workload_and_local_stride.cu").read_text("utf-8").partition("int main()")[0]
    (only,) = StagedStore().rewrite(context_of(text))
    assert only.labels == (Label.ASSUMPTION,)
    assert only.assumptions[0].startswith("your own code launches gather_columns with blocks of 32 x 32 threads")
    guessed = StagedStore().rewrite(context_of(text.replace("[32, 32]", "[32, 32]   # guessed: one thread per element")))
    assert isinstance(guessed, Decline) and guessed.code is DeclineReason.LAUNCH_GUESSED
