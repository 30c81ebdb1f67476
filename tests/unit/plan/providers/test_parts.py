"""Prices, delays, token estimates and redaction: the parts that need no network."""

from __future__ import annotations

import email.utils
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import UsageError
from assistant.model.completion import ChatMessage, Price
from assistant.plan.providers.pace import Pace, back_off_s, retry_after_s
from assistant.plan.providers.prices import read_prices
from assistant.plan.providers.redaction import PieceRedaction, redacted
from assistant.plan.providers.roles import is_local
from assistant.plan.tokens import estimated_tokens, most_message_tokens

KEY = "sk-abcabcabd-key"


def price_file(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text)
    return path


def test_the_most_exact_price_holds(tmp_path: Path) -> None:
    rows = {"http://a/v1 m": 1, "http://a/v1": 2, "m": 3}
    text = "".join(f'["{name}"]\ninput_usd_per_million_tokens = {n}\noutput_usd_per_million_tokens = 0\n' for name, n in rows.items())
    table = read_prices(price_file(tmp_path, text))
    asked = (("http://a/v1", "m"), ("http://a/v1", "n"), ("http://b/v1", "m"))
    assert [table.price(*names) for names in asked] == [Price(1, 0), Price(2, 0), Price(3, 0)]
    assert table.price("http://b/v1", "n") is None


def test_without_a_table_no_price_is_known(tmp_path: Path) -> None:
    assert read_prices(tmp_path / "none.toml").price("http://a/v1", "m") is None


@pytest.mark.parametrize(
    "text",
    [
        "[m]\ninput_usd_per_million_tokens = -1\noutput_usd_per_million_tokens = 0\n",
        "[m]\ninput_usd_per_million_tokens = 1\n",
        "[m]\ninput_usd_per_million_tokens = inf\noutput_usd_per_million_tokens = 0\n",
        "m = 3\n",
        "[m\n",
    ],
)
def test_a_wrong_price_table_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    path = price_file(tmp_path, text)
    with pytest.raises(UsageError, match=str(path)):
        read_prices(path)


def test_delays_double_up_to_eight_seconds_and_vary() -> None:
    assert [back_off_s(count, 0.0) for count in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
    assert back_off_s(1, 1.0) == 0.375


@pytest.mark.parametrize(
    ("headers", "delay_s"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": email.utils.formatdate(1_000_010, usegmt=True)}, 10.0),
        ({"retry-after": email.utils.formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_an_endpoints_delay_is_read_in_all_its_forms(headers: dict[str, str], delay_s: float | None) -> None:
    assert retry_after_s(headers, 1_000_000.0) == delay_s


async def test_requests_are_spaced_evenly() -> None:
    now_s, slept = 100.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now_s
        slept.append(seconds)
        now_s += seconds

    pace = Pace(30, lambda: now_s, sleep)
    for _ in range(3):
        await pace.turn()
    now_s += 60
    await pace.turn()
    assert slept == [2.0, 2.0]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("word", 1, 1),
        ("float x = in[i];", 6, 8),
        ("é" * 10, 5, 10),
        ("        return 0;\n", 4, 6),
        ("123456", 2, 3),
        ("=" * 90, 1, 4),
    ],
)
def test_tokens_are_estimated_about_as_tokenizers_count_them(text: str, least: int, most: int) -> None:
    assert least <= estimated_tokens(text) <= most


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens_and_never_more_than_its_bytes(text: str, more: str) -> None:
    assert estimated_tokens(text) <= estimated_tokens(text + more) + 1
    assert estimated_tokens(text) <= len(text.encode())


def test_a_message_costs_more_than_its_text() -> None:
    assert most_message_tokens((ChatMessage("user", "word"),)) > estimated_tokens("word")


@given(st.lists(st.one_of(st.sampled_from([KEY, KEY[:5], KEY[5:], KEY[:-1], "sk-abc", "s", "-key"]), st.text(max_size=5)), max_size=12))
def test_no_key_passes_in_pieces(pieces: list[str]) -> None:
    shown: list[str] = []
    passing = PieceRedaction(KEY, shown.append)
    for piece in pieces:
        passing.add(piece)
    passing.end()
    assert "".join(shown) == redacted("".join(pieces), KEY)
    assert KEY not in "".join(shown)


def test_placeholders_are_no_keys() -> None:
    assert redacted("none of it", "none") == "none of it"
    assert redacted("none of it", None) == "none of it"


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.0.7/v1", False),
    ],
)
def test_only_this_machine_is_local(url: str, is_here: bool) -> None:
    assert is_local(url) is is_here
