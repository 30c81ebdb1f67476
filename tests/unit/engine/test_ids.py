"""Ids: a letter and a ULID."""

from assistant.engine.ids import new_id


def test_the_example_of_the_ulid_specification_is_reproduced() -> None:
    # https://github.com/ulid/spec: 01ARYZ6S41 stands for 1469918176385 ms
    assert new_id("J", 1469918176385, bytes(10)) == "J01ARYZ6S41" + "0" * 16


def test_ids_sort_by_time_and_differ() -> None:
    assert new_id("P", 1000) < new_id("P", 2000)
    assert new_id("P", 1000) != new_id("P", 1000)
