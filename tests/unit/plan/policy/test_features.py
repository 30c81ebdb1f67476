"""What a policy sees: the same numbers for the same situation, one for each name, none of them out of bounds."""

from __future__ import annotations

from dataclasses import replace

from assistant.plan.policy.features import Vocabulary, feature_names, feature_rows
from assistant.plan.policy.situation import Tried
from tests.unit.plan.policy.situations import VOCABULARY, offer, situation

NAMES = feature_names(VOCABULARY)


def test_rows_are_the_same_for_the_same_and_have_a_number_for_each_name() -> None:
    offers = (offer("warp-per-row", 0.6), offer("shared-tile", 0.2))
    rows = feature_rows(VOCABULARY, situation(), offers)
    assert rows == feature_rows(VOCABULARY, situation(), offers)
    assert [len(row) for row in rows] == [len(NAMES)] * 3
    assert len(set(NAMES)) == len(NAMES)


def test_each_number_stands_under_its_name() -> None:
    tried = (Tried("warp-per-row", is_kept=True, ratio=3.0), Tried("shared-tile", is_kept=False, ratio=0.9))
    offers = (offer("warp-per-row", 0.6, labels=("assumption",)), offer("shared-tile", 0.2, finding="KO105"))
    first, second, stop = (
        dict(zip(NAMES, row, strict=True)) for row in feature_rows(VOCABULARY, situation(tried=tried, occupancy=0.5), offers)
    )
    assert first["technique warp-per-row"] == second["technique shared-tile"] == second["finding KO105"] == stop["stop"] == 1.0
    assert first["occupancy"] == stop["occupancy"] == 0.5
    assert (first["promise"], first["share of the best promise"]) == (0.6, 1.0)
    assert second["promises more"] == 0.5
    assert first["label assumption"] == first["kept before"] == second["tried in vain"] == first["limit dram"] == 1.0
    assert stop["promise"] == second["kept before"] == first["limit l2"] == 0.0


def test_a_name_that_the_vocabulary_lacks_is_said_to_be_unknown() -> None:
    (row, _) = feature_rows(VOCABULARY, situation(), (offer("register-tile"),))
    assert dict(zip(NAMES, row, strict=True))["technique of another name"] == 1.0
    assert len(feature_names(Vocabulary((*VOCABULARY.techniques, "register-tile"), VOCABULARY.findings))) == len(NAMES) + 1


def test_numbers_stay_small_whatever_is_promised_and_launched() -> None:
    odd = situation(tried=(Tried("shared-tile", is_kept=True, ratio=1e9),) * 50)
    traits = replace(odd.state.traits, scale=(("threads", 1 << 40), ("blocks", 0), ("threads per block", 1024)))
    odd = replace(odd, state=replace(odd.state, traits=traits), findings=(("KO101", 1.0),) * 40)
    offers = tuple(offer("warp-per-row", promise, variant_count=99, added_length=10**6) for promise in (-1.0, 0.0, 1.0, 7.0))
    assert all(abs(value) <= 10 for row in feature_rows(VOCABULARY, odd, offers) for value in row)


def test_the_family_of_a_kernel_is_not_seen() -> None:
    one = situation()
    other = replace(one, state=replace(one.state, traits=replace(one.state.traits, family="stencil")))
    assert feature_rows(VOCABULARY, one, ()) == feature_rows(VOCABULARY, other, ())
