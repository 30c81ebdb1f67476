"""What models cost, from a table that the user writes; we know no price ourselves, as prices change.

The table is ``prices.toml`` in the folder of the user's ``config.toml``. A name is an endpoint with a model, an endpoint, or a model; the
first that matches, in that order, holds::

    ["https://api.example.com/v1 small"]
    input_usd_per_million_tokens = 0.25
    output_usd_per_million_tokens = 2.0

    ["http://localhost:11434/v1"]
    input_usd_per_million_tokens = 0
    output_usd_per_million_tokens = 0
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from assistant.errors import UsageError
from assistant.model.completion import Price
from assistant.record import Record

__all__ = ["PriceTable", "read_prices"]


class PriceTable(Record):
    """Prices by name."""

    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])

    def price(self, endpoint: str, model: str) -> Price | None:
        """None: the user has not stated it."""
        names = (f"{endpoint} {model}", endpoint, model)
        return next((self.prices[name] for name in names if name in self.prices), None)


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input_usd_per_million_tokens: float = Field(ge=0)
    output_usd_per_million_tokens: float = Field(ge=0)


_ROWS = TypeAdapter(dict[str, _Row])
_TABLE = "[NAME] of each model, and below it input_usd_per_million_tokens and output_usd_per_million_tokens"


def read_prices(path: Path) -> PriceTable:
    """The table in ``path``, empty where there is no such file. Raises UsageError for one that cannot be read."""
    try:
        rows = _ROWS.validate_python(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return PriceTable()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {place}: {first['msg']}", _TABLE) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", f"fix the file: {_TABLE}") from error
    return PriceTable({name: Price(row.input_usd_per_million_tokens, row.output_usd_per_million_tokens) for name, row in rows.items()})
