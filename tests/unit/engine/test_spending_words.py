"""Money and tokens as people read them."""

import pytest

from assistant.engine.search.spending_words import cap_words, caps_words, dollars, estimate_words, more_words, number_words, spent_words
from assistant.model.completion import Caps, Spending


def test_small_sums_keep_their_digits() -> None:
    assert [dollars(money) for money in (1.25, 0.01, 0.0099, 0.0, None)] == ["$1.25", "$0.01", "$0.0099", "$0.00", "unpriced"]


def test_what_was_spent_names_calls_and_tokens() -> None:
    assert spent_words(Spending(0.5, 1_000, 234, 1)) == "$0.50 for 1 call, 1,234 tokens"
    assert spent_words(Spending(None, 1_000, 234, 2, gpu_s=3.25)) == "unpriced for 2 calls, 1,234 tokens, 3.2 s of GPU"
    assert spent_words(Spending(wall_s=61.25)) == "61.2 s"


def test_what_going_on_costs_is_an_option_that_would_do() -> None:
    spent, next_call = Spending(0.031, 900, 100, 3), Spending(0.0244, 1_000, 2_000, 1)
    command = "kernelopt optimize a.cu --resume"
    money, tokens = (more_words(cap, spent, next_call, command) for cap in ("money_usd", "token_count"))
    assert money == "the next call alone costs up to $0.02: kernelopt optimize a.cu --resume --budget-usd 0.06 or more goes on"
    assert tokens == "the next call alone takes up to 3,000 tokens: kernelopt optimize a.cu --resume --budget-tokens 4000 or more goes on"
    rounds = more_words("round_count", Spending(round_count=2), Spending(), command)
    assert rounds == "kernelopt optimize a.cu --resume --budget-rounds 3 or more goes on; what was spent counts"
    seconds = more_words("gpu_s", Spending(gpu_s=2.25), Spending(), command)
    by_clock = more_words("wall_s", Spending(wall_s=61.25), Spending(), command)
    assert by_clock == "kernelopt optimize a.cu --resume --budget-s 123 goes on; the 61.2 s that were spent count"
    assert seconds == "kernelopt optimize a.cu --resume --budget-gpu-s 5 goes on; the 2.2 s that were spent count"


@pytest.mark.parametrize(
    ("spent", "next_call", "needed"),
    [(0.25, 0.5, "0.75"), (0.25, 0.501, "0.76"), (0.0, 0.001, "0.01"), (1.5, None, "1.50"), (None, 2.0, "2.00")],
)
def test_money_that_goes_on_is_rounded_up_to_a_cent(spent: float | None, next_call: float | None, needed: str) -> None:
    assert f"--budget-usd {needed} or more" in more_words("money_usd", Spending(spent), Spending(next_call), "go")


def test_caps_are_named_each() -> None:
    caps = Caps(0.05, 2_000, 30.0, 2, 90.0)
    assert caps_words(caps) == "capped at $0.05 and 2,000 tokens and 30 s of GPU and 90 s and 2 rounds"
    assert caps_words(Caps()).startswith("no cap is set")
    each = [Caps(0.05), Caps(None, 2_000), Caps(None, None, 30.0), Caps(None, None, None, 2), Caps(wall_s=90.0)]
    assert [caps_words(one) for one in each] == [
        "capped at $0.05", "capped at 2,000 tokens", "capped at 30 s of GPU", "capped at 2 rounds", "capped at 90 s"
    ]  # fmt: skip
    named = [cap_words(cap, caps) for cap in ("money_usd", "token_count", "gpu_s", "round_count", "wall_s")]
    assert named == ["the cap of $0.05", "the cap of 2,000 tokens", "the cap of 30 s of GPU", "the cap of 2 rounds", "the cap of 90 s"]
    assert (cap_words("round_count", Caps(round_count=1)), caps_words(Caps(round_count=1))) == ("the cap of 1 round", "capped at 1 round")


def test_a_number_that_is_no_count_is_not_spelt_out() -> None:
    assert [number_words(number) for number in (8_192, 10**12)] == ["8,192", "1,000,000,000,000"]
    assert number_words(10**12 + 1) == "more than 1,000,000,000,000"


def test_an_estimate_promises_no_bound_and_without_a_price_names_no_money() -> None:
    more = "; more where answers cannot be used and are asked for again"
    assert estimate_words(Spending(None, 1_000, 500, 3)) == f"about 3 calls, up to 1,500 tokens{more}"
    assert estimate_words(Spending(4.1, 1_000, 500, 3)) == f"about 3 calls, up to 1,500 tokens, $4.10{more}"
