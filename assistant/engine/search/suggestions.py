"""What setting of an edit's numbers to try next, by what was seen of others: ``optuna`` asks and is told. Tries nothing itself.

Example::

    suggested = Suggestions(start, 1.2, settings)
    for setting in suggested.up_to(16):
        suggested.learn(setting, ratio)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assistant.plan.tuning.space import Setting

if TYPE_CHECKING:
    import optuna

__all__ = ["Suggestions"]

_MOST_REPEATS = 64
"""Times that a setting may be suggested which was tried already, before the next one in order is taken."""
_SEED = 0
"""Of the suggestions, which are to be the same each time."""


class Suggestions:
    """What to try next, by what was seen: all settings where they are few, else optuna's choice among them."""

    def __init__(self, start: Setting, ratio: float, settings: tuple[Setting, ...]) -> None:
        import optuna  # half a second, which only a search that tunes should take

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._open = dict.fromkeys(settings)
        names = [name for name, _ in start.values]
        choices = {name: sorted({value for s in (start, *settings) for key, value in s.values if key == name}) for name in names}
        self._distributions = {name: optuna.distributions.CategoricalDistribution(values) for name, values in choices.items()}
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=_SEED))
        self._asked: dict[Setting, optuna.trial.Trial] = {}
        self._values: dict[Setting, float] = {}
        self._add(start, ratio)

    def up_to(self, count: int) -> Iterator[Setting]:
        """Settings that were not tried, at most ``count``."""
        for _ in range(min(count, len(self._open))):
            setting = next(iter(self._open)) if len(self._open) <= count else self._chosen()
            del self._open[setting]
            yield setting

    def learn(self, setting: Setting, ratio: float | None) -> None:
        """What came of a setting; 0 where it did not come to a time."""
        value = 0.0 if ratio is None else ratio
        asked = self._asked.pop(setting, None)
        if asked is None:
            self._add(setting, value)
        else:
            self._values[setting] = value
            self._study.tell(asked, value)

    def _chosen(self) -> Setting:
        for _ in range(_MOST_REPEATS):
            trial = self._study.ask(dict(self._distributions))
            setting = Setting(tuple((name, int(trial.params[name])) for name in self._distributions))
            if setting in self._open:
                self._asked[setting] = trial
                return setting
            self._study.tell(trial, self._values.get(setting, 0.0))  # tried before, or it cannot run
        return next(iter(self._open))

    def _add(self, setting: Setting, value: float) -> None:
        import optuna

        self._values[setting] = value
        made = optuna.trial.create_trial(params=dict(setting.values), distributions=dict(self._distributions), value=value)
        self._study.add_trial(made)
