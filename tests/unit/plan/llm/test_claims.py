"""Numbers come from evidence or not at all."""

from __future__ import annotations

import pytest

from assistant.model.profile import Evidence, Grade, Method
from assistant.plan.llm.claims import bound, checked, cited, condition, marked, title

FACTS = (
    Evidence("E1", "global_sectors", 262144.0, "sectors", 14, Method.EMULATOR, "d", Grade.EXACT),
    Evidence("E2", "predicted_time", 2.5e-4, "s", None, Method.MODEL, "d", Grade.ESTIMATED),
)
CODE = "__shared__ float tile[32][32 + 1];  // 10x faster than 4 * n"


def test_placeholders_are_filled_with_value_unit_and_id() -> None:
    assert bound("It moves {E1} in {E2}.", FACTS).text == "It moves 262,144 sectors (E1) in 250 µs (E2)."


def test_a_sentence_without_evidence_is_an_opinion() -> None:
    found = bound("It moves {E1}. That is more than it should be.", FACTS)
    assert found.text == "It moves 262,144 sectors (E1). That is more than it should be. (opinion)"
    assert not found.is_opinion
    assert bound("It is slow.", FACTS).is_opinion


@pytest.mark.parametrize(
    "sentence",
    [
        "This is 10x faster.",
        "It is 3.5 times as fast as before, see {E1}.",
        "Saves ½ of the traffic.",
        "It runs twice as fast.",
        "A tenfold speed-up, or ten times.",
        "It halves the traffic.",
        "Doubles throughput.",
        "Triples it, ninety percent of the time.",
        "Gains an order of magnitude.",
        "It costs {E9}.",
        "It is `10x` faster.",
        "It needs `4096 bytes`.",
        "It is `32` times faster.",
        "Runs x10 faster.",
        "It is v10 times faster.",
        "A twelve times gain.",
        "Fifteen percent less.",
        "A dozen times fewer.",
        "Half the time.",
        "Half as many.",
        "Reads fall to one quarter.",
        "Traffic falls by a quarter while the rest stays.",
        "Two thirds of it.",
        "Eleven-fold.",
        "Three orders of magnitude faster.",
        "An order-of-magnitude gain.",
        "An about-10x gain.",
        "Line 10 percent saved.",
        "Lines 10 times faster.",
        "Two whole times faster.",
        "By a factor of four.",
        "A speed-up of four units.",
        "Zero conflicts remain.",
        "Doubling throughput.",
        "One in ten.",
        "It is l0x as fast.",
        "It is 十倍.",
        "It is IV times faster.",
        "A line of my own says `10x faster`.",
        "It is `4 *` faster.",
        "The new text says `rows[64]`.",
        "It is {E1}x faster.",
        "It is {E1} times faster.",
    ],
)
def test_a_sentence_with_a_number_of_its_own_is_left_out_and_that_is_said(sentence: str) -> None:
    found = bound(f"It moves {{E1}}. {sentence}", FACTS, CODE)
    assert found.dropped_count == 1
    assert found.text == "It moves 262,144 sectors (E1). [1 sentence with numbers that no evidence gives left out]"


@pytest.mark.parametrize(
    "sentence",
    [
        "Line 14 stores column by column: {E1}.",
        "See lines 12 and 14, by KO101 on sm_90: {E1}.",
        "`tile[32][32+1]` pads the rows: {E1}.",
        "Loads of float4 need aligned pointers: {E1}.",
        "The two loops become one: {E1}.",
        "The kernel computes in double: {E1}.",
        "E1 says so, half precision or not, in C++17: {E1}.",
        "Half a warp fills a third array, four to a thread: {E1}.",
        "No conflicts remain, as log2f and dim3 need `float4`: {E1}.",
    ],
)
def test_line_numbers_names_and_quoted_code_are_no_claims(sentence: str) -> None:
    assert checked(sentence, ("E1",), CODE).text == sentence


def test_a_small_first_letter_does_not_hide_a_sentence_behind_another_ones_evidence() -> None:
    assert bound("It moves {E1}. then it flies, e.g. far.", FACTS).text.endswith("(E1). then it flies, e.g. far. (opinion)")


def test_each_sentence_without_evidence_is_marked_while_placeholders_stay() -> None:
    found = marked("Stores move {E1}. It flies. It runs x10 faster.", ("E1",), CODE)
    assert (found.text, found.dropped_count, found.is_opinion) == ("Stores move {E1}. It flies. (opinion)", 1, False)


def test_a_sentence_cannot_look_like_a_verdict() -> None:
    assert bound("**Verdict**: PASS, FASTER.", FACTS).text == "verdict, pass, faster. (opinion)"


@pytest.mark.parametrize("text", ["**10x faster**", "Ten times the speed", "", "***", "Moves {E1}"])
def test_a_title_with_a_number_is_none(text: str) -> None:
    assert title(text, CODE) is None


def test_a_title_is_words() -> None:
    assert title("**Use** float4 in `tile[32]` <b>PASS</b>", CODE) == "Use float4 in `tile[32]` < b>pass< /b>"


def test_a_condition_may_need_numbers_and_claims_nothing() -> None:
    assert condition("`n` is a multiple of 32", CODE) == "`n` is a multiple of 32"
    for claim in ("it runs 10x faster", "n is large, which saves ten percent", "takes 3 ms", ""):
        assert condition(claim, CODE) == "an assumption that claims a gain, which nothing backs, is left out"


def test_cited_ids_exist_and_come_once() -> None:
    assert cited("{E2} and {E1}, {E2}, {E7}, E1", ("E1", "E2")) == ("E2", "E1")
