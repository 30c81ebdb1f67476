"""Numbers come from evidence or not at all."""

from __future__ import annotations

import pytest

from assistant.model.profile import Evidence, Grade, Method
from assistant.plan.llm.claims import bound, checked, cited

FACTS = (
    Evidence("E1", "global_sectors", 262144.0, "sectors", 14, Method.EMULATOR, "d", Grade.EXACT),
    Evidence("E2", "predicted_time", 2.5e-4, "s", None, Method.MODEL, "d", Grade.ESTIMATED),
)
CODE = "__shared__ float tile[32][32 + 1];"


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
    ],
)
def test_line_numbers_names_and_quoted_code_are_no_claims(sentence: str) -> None:
    assert checked(sentence, ("E1",), CODE).text == sentence


def test_cited_ids_exist_and_come_once() -> None:
    assert cited("{E2} and {E1}, {E2}, {E7}, E1", ("E1", "E2")) == ("E2", "E1")
