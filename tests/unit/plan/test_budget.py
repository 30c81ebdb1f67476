"""What a search may spend: estimates, caps, and which call would break one."""

import pytest

from assistant.model.completion import Caps, ModelRole, Price, ServedModel, Spending
from assistant.plan.budget import FALLBACK_TOKENS, Extent, added, believed, broken_by, call_cost, estimate, keepable, reached, repeated

PRICE = Price(2.0, 10.0)


def served(price: Price | None = PRICE, provider: str = "openai") -> ServedModel:
    return ServedModel(ModelRole.CODER, provider, "http://localhost/v1", "small", price)


def test_a_call_costs_what_the_price_table_says() -> None:
    assert call_cost(PRICE, 1_000_000, 100_000) == pytest.approx(3.0)
    assert call_cost(None, 1, 1) is None


def test_a_call_fits_only_with_its_longest_answer() -> None:
    caps = Caps(money_usd=0.05)
    assert broken_by(Spending(), caps, served(), 5_000, 4_000) is None  # exactly $0.05
    assert broken_by(Spending(), caps, served(), 5_001, 4_000) == "money_usd"
    assert broken_by(Spending(money_usd=0.001), caps, served(), 5_000, 4_000) == "money_usd"


def test_tokens_are_capped_in_and_out_together() -> None:
    caps = Caps(token_count=10_000)
    assert broken_by(Spending(input_token_count=4_000, output_token_count=1_000), caps, served(), 3_000, 2_000) is None
    assert broken_by(Spending(input_token_count=4_000, output_token_count=1_001), caps, served(), 3_000, 2_000) == "token_count"


def test_nothing_fits_a_money_cap_at_an_unknown_price() -> None:
    assert broken_by(Spending(), Caps(money_usd=100.0), served(None), 1, 1) == "money_usd"


def test_no_cap_refuses_nothing() -> None:
    assert broken_by(Spending(money_usd=None), Caps(), served(None), 10**9, 10**9) is None


@pytest.mark.parametrize(
    ("caps", "models", "kept"),
    [
        (Caps(money_usd=1.0), [served()], Caps(money_usd=1.0)),
        (Caps(money_usd=1.0), [served(), served(None)], Caps(token_count=FALLBACK_TOKENS)),
        (Caps(money_usd=1.0, token_count=5_000), [served(None)], Caps(token_count=5_000)),
        (Caps(token_count=5_000), [served(None)], Caps(token_count=5_000)),
        (Caps(money_usd=1.0), [served(None, "manual")], Caps()),
    ],
)
def test_a_money_cap_that_cannot_be_kept_becomes_one_on_tokens(caps: Caps, models: list[ServedModel], kept: Caps) -> None:
    assert keepable(caps, models) == kept


def test_rounds_and_gpu_time_end_before_another_round() -> None:
    assert reached(Spending(round_count=2), Caps(round_count=3)) is None
    assert reached(Spending(round_count=3), Caps(round_count=3)) == "round_count"
    assert reached(Spending(gpu_s=60.0), Caps(gpu_s=60.0)) == "gpu_s"
    assert reached(Spending(wall_s=60.0), Caps(wall_s=60.0)) == "wall_s"
    assert reached(Spending(wall_s=59.0), Caps(wall_s=60.0)) is None


def test_money_is_unknown_as_soon_as_one_price_is() -> None:
    total = added(Spending(0.5, 10, 20, 1, 1.0, 1), Spending(None, 1, 2, 1))
    assert total == Spending(None, 11, 22, 2, 1.0, 1)
    assert total.token_count == 33


def test_an_estimate_counts_every_call_at_its_largest() -> None:
    planner, free = served(), served(Price(0.0, 0.0))
    extent = Extent(plan_count=2, code_count=10, explanation_count=1, input_token_count=1_000, max_output_tokens=100)
    assert estimate(extent, planner, free, free) == Spending(pytest.approx(0.006), 13_000, 1_300, 13)
    assert estimate(extent, planner, served(None), free).money_usd is None


def test_a_model_that_is_not_called_needs_no_price() -> None:
    extent = Extent(1, 0, 0, 1_000, 100)
    assert estimate(extent, served(), served(None), served(None)).money_usd == pytest.approx(0.003)
    assert repeated(Spending(0.5, 1, 2, 1), 3) == Spending(1.5, 3, 6, 3)


@pytest.mark.parametrize(
    ("told", "estimated", "longest", "charged"),
    [
        (None, 900, 0, 900),
        (700, 900, 0, 700),
        (1_200, 900, 0, 1_200),
        (0, 900, 0, 900),
        (10**30, 900, 0, 4_600),
        (8_000, 10, 8_192, 8_000),  # thoughts that are not shown
        (10**30, 10, 8_192, 8_192),
    ],
)
def test_an_endpoints_count_is_believed_where_it_can_be(told: int | None, estimated: int, longest: int, charged: int) -> None:
    assert believed(told, estimated, longest) == charged
