"""SharedTile on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline
from assistant.model.verification import Label
from assistant.plan.expert.shared_tile import SharedTile

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "shared-tile"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_shared_loads_go_through_a_tile(name, transformed):
    assert transformed(SharedTile(), DATA / f"{name}.cu") == ((DATA / f"{name}.expected.cu").read_text("utf-8"),)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    reason = (DATA / f"{name}.declined.txt").read_text("utf-8").strip()
    assert declined(SharedTile(), DATA / f"{name}.cu") == reason


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_result_is_left_alone(name, declined, tmp_path):
    """The same finding on the mended text has nothing left to mend."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(SharedTile(), again)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_windows_line_ends_are_kept(name, context_of, applied):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    for rewrite in SharedTile().rewrite(context_of(text)):
        assert applied(text, rewrite).replace("\r\n", "").count("\n") == 0


DECLARED = """/* kernelopt
[workload.{kernel}]
grid = ["ceil(n/16)", "ceil(n/16)"]
block = [16, 16]{remark}
*/
"""


def test_a_tile_that_must_match_a_launch_elsewhere_needs_a_person(context_of):
    text = (DATA / "matmul_check_around_the_loop.cu").read_text("utf-8").partition("int main()")[0]
    context = replace(context_of(text), launches=(LaunchConfig(Dim3(4, 4), Dim3(16, 16)),))

    def with_declared(remark: str):
        declared = text + DECLARED.format(kernel=context.kernel.name, remark=remark)
        return SharedTile().rewrite(replace(context_of(declared), launches=context.launches))

    (only,) = with_declared("")
    assert only.labels == (Label.ASSUMPTION,)
    assert only.assumptions[0].startswith(f"your own code launches {context.kernel.name} with blocks of 16 x 16 threads")
    guessed = with_declared("   # guessed: one thread per element")
    assert isinstance(guessed, Decline) and "only guesses grid and block" in guessed.reason
