"""What became of a candidate, as people read it: in an editor's progress, in reviews, in the terminal's history."""

from __future__ import annotations

from assistant.model.trial import OUTCOME_WORDS, TrialOutcome


def test_everything_that_becomes_of_a_candidate_has_words() -> None:
    assert set(OUTCOME_WORDS) == set(TrialOutcome) - {TrialOutcome.KEPT}
    assert not [words for words in OUTCOME_WORDS.values() if "_" in words]
