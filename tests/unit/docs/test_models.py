"""The reference of language models names every outcome of a call, every provider, and the fields of the price table."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

from assistant.config.provider_settings import ProviderSettings
from assistant.model.completion import FailureKind
from assistant.plan.providers import read_prices

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "models.md").read_text("utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def first_column(title: str) -> list[str]:
    return re.findall(r"^\| `(\w+)`", section(title), re.M)


def test_every_outcome_is_reported_once() -> None:
    told = first_column("Why there is no answer")
    assert sorted(told) == sorted(kind.value for kind in FailureKind)


def test_every_provider_is_reported() -> None:
    assert set(first_column("Providers")) == set(get_args(ProviderSettings.model_fields["kind"].annotation))


def test_the_price_table_shown_is_one(tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(.*?)```", section("Prices"), re.S)[0]
    path = tmp_path / "prices.toml"
    path.write_text(text, "utf-8")
    assert set(read_prices(path).prices) == set(tomllib.loads(text))
