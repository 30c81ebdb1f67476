"""Which hunks are taken, and what is said of the others."""

import re
from pathlib import Path

from assistant.cuda.hunks import hunks
from assistant.model.proposal import REASON_CODES
from jupyter_ext.choice import REASONS, Choice, LeftOut, everything, line_for

HUNKS = hunks("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\nF\n")
_ASKED_IN_VSCODE = Path(__file__).parents[3] / "vscode-client" / "src" / "review" / "reasons.ts"


def check(*left_out: tuple[int, LeftOut]) -> Choice:
    """The choice without the hunks of these numbers."""
    choice = everything(HUNKS)
    for number, why in left_out:
        choice = choice.without(HUNKS[number - 1].id, why)
    return choice


def test_everything_is_taken_until_something_is_left_out() -> None:
    assert check().label == "Accept" and check().reason == LeftOut()
    choice = check((2, LeftOut()))
    assert choice.label == "Accept 2 of 3 hunks" and choice.taken == (HUNKS[0].id, HUNKS[2].id)
    assert choice.having(HUNKS[1].id) == check()


def test_a_hunk_says_where_it_is_and_whether_it_is_taken() -> None:
    choice = check((1, LeftOut()))
    assert choice.heading(HUNKS[:1]) == "Hunk 1 of 3 · line 1 · 1 line changed · left out of Accept"
    assert choice.heading(HUNKS[2:]) == "Hunk 3 of 3 · line 5 · 1 line becomes 2 · taken"
    assert choice.heading(HUNKS[2:], lambda line: line + 1).startswith("Hunk 3 of 3 · line 6 · ")


def test_hunks_that_only_work_together_are_left_out_and_taken_together() -> None:
    whole = everything(HUNKS, ((HUNKS[0].id, HUNKS[2].id), (HUNKS[1].id,)))
    assert whole.groups == ((HUNKS[0], HUNKS[2]), (HUNKS[1],))
    choice = whole.without(HUNKS[2].id, LeftOut("style", "no"))
    assert choice.label == "Accept 1 of 3 hunks" and choice.taken == (HUNKS[1].id,)
    assert choice.reason == LeftOut("style", "hunks 1 and 3: no")
    assert choice.heading(choice.groups[0]) == "Hunks 1 and 3 of 3 only work together · lines 1 and 5 · left out of Accept"
    assert choice.having(HUNKS[0].id) == whole


def test_a_hunk_is_known_by_its_first_line_and_the_launch_by_the_line_of_the_cell() -> None:
    before = '// kernelopt launch: grid = ["ceil(n/256)"], block = [256], shared = [0]\nvoid k();\n    int i = 0;\n'
    launch, code = hunks(before, before.replace("256", "128").replace("int i = 0", "int i = 1"))
    assert line_for(launch) == "%%kernelopt … --grid (n+127)//128 --block 128"
    assert line_for(code) == "int i = 1;"
    (removed,) = hunks("a\n  b\n", "a\n")
    assert line_for(removed) == "b"


def test_a_single_reason_is_plain_and_several_name_their_hunks() -> None:
    assert check((2, LeftOut("precision", "a long sum"))).reason == LeftOut("precision", "hunk 2: a long sum")
    several = check((1, LeftOut("style")), (2, LeftOut("precision", "a long sum")), (3, LeftOut()))
    assert several.reason == LeftOut("other", "hunk 1: Style; hunk 2: Changes results: a long sum")


def test_reasons_are_asked_for_in_the_words_of_the_other_editor() -> None:
    there = re.findall(r'code: "([^"]+)", label: "([^"]+)"', _ASKED_IN_VSCODE.read_text("utf-8"))
    assert dict(there) == REASONS and tuple(REASONS) == REASON_CODES
