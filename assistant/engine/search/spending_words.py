"""Budgets and what was spent of them, in words for people. Pure."""

from __future__ import annotations

import math

from assistant.model.completion import Caps, Spending

__all__ = ["cap_words", "caps_words", "dollars", "estimate_words", "more_words", "number_words", "spent_words"]

_OPTIONS = {
    "money_usd": "--budget-usd",
    "token_count": "--budget-tokens",
    "gpu_s": "--budget-gpu-s",
    "wall_s": "--budget-s",
    "round_count": "--budget-rounds",
}
_SMALL_USD = 0.01
_MOST_SHOWN = 10**12
"""Above it a number is not spelt out."""


def number_words(number: int) -> str:
    """``8,192``; what no count can be is only named so."""
    return f"{number:,}" if number <= _MOST_SHOWN else f"more than {_MOST_SHOWN:,}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def dollars(money_usd: float | None) -> str:
    """``$0.0123`` below a cent, ``$1.25`` above."""
    if money_usd is None:
        return "unpriced"
    return f"${money_usd:.2f}" if money_usd == 0 or money_usd >= _SMALL_USD else f"${money_usd:.4f}"


def spent_words(spent: Spending) -> str:
    """``$0.04 for 3 calls, 11,204 tokens``; of time alone where no model was called: ``61.2 s``."""
    is_time_alone = not spent.call_count and (spent.gpu_s or spent.wall_s)
    calls = f"{dollars(spent.money_usd)} for {_counted(spent.call_count, 'call')}, {spent.token_count:,} tokens"
    parts = [] if is_time_alone else [calls]
    if spent.gpu_s:
        parts.append(f"{spent.gpu_s:.1f} s of GPU")
    if spent.wall_s:
        parts.append(f"{spent.wall_s:.1f} s")
    return ", ".join(parts)


def cap_words(cap: str, caps: Caps) -> str:
    """``the cap of $0.05``."""
    match cap:
        case "money_usd":
            return f"the cap of {dollars(caps.money_usd)}"
        case "token_count":
            return f"the cap of {caps.token_count or 0:,} tokens"
        case "gpu_s":
            return f"the cap of {caps.gpu_s or 0.0:g} s of GPU"
        case "wall_s":
            return f"the cap of {caps.wall_s or 0.0:g} s"
        case _:
            return f"the cap of {_counted(caps.round_count or 0, 'round')}"


def more_words(cap: str, spent: Spending, next_call: Spending, command: str) -> str:
    """What it takes to go on: ``the next call costs up to $0.02: kernelopt optimize a.cu --resume --budget-usd 0.08 allows it``.

    The option names what was spent and that one call: a search may want more.
    """
    option = _OPTIONS[cap]
    match cap:
        case "money_usd":
            needed = _rounded_up((spent.money_usd or 0.0) + (next_call.money_usd or 0.0))
            return f"the next call alone costs up to {dollars(next_call.money_usd)}: {command} {option} {needed} or more goes on"
        case "token_count":
            needed = spent.token_count + next_call.token_count
            return f"the next call alone takes up to {next_call.token_count:,} tokens: {command} {option} {needed} or more goes on"
        case "round_count":
            return f"{command} {option} {spent.round_count + 1} or more goes on; what was spent counts"
        case _:
            spent_s = spent.gpu_s if cap == "gpu_s" else spent.wall_s
            return f"{command} {option} {math.ceil(2 * spent_s) or 60} goes on; the {spent_s:.1f} s that were spent count"


def _rounded_up(money_usd: float) -> str:
    """To the next cent."""
    cents = int(money_usd * 100) + (money_usd * 100 % 1 > 0)
    return f"{cents / 100:.2f}"


def estimate_words(estimate: Spending) -> str:
    """``about 57 calls, up to 1,824,000 tokens, $4.10; more where …``: no bound, as bad answers are asked for again."""
    cost = "" if estimate.money_usd is None else f", {dollars(estimate.money_usd)}"
    size = f"about {_counted(estimate.call_count, 'call')}, up to {estimate.token_count:,} tokens{cost}"
    return f"{size}; more where answers cannot be used and are asked for again"


def caps_words(caps: Caps) -> str:
    """``capped at $0.05 and 200,000 tokens``."""
    money = () if caps.money_usd is None else (dollars(caps.money_usd),)
    tokens = () if caps.token_count is None else (f"{caps.token_count:,} tokens",)
    time = () if caps.gpu_s is None else (f"{caps.gpu_s:g} s of GPU",)
    clock = () if caps.wall_s is None else (f"{caps.wall_s:g} s",)
    rounds = () if caps.round_count is None else (_counted(caps.round_count, "round"),)
    caps_shown = (*money, *tokens, *time, *clock, *rounds)
    return f"capped at {' and '.join(caps_shown)}" if caps_shown else "no cap is set (--budget-usd, --budget-tokens)"
