"""Values are frozen dataclasses, whenever they are made ones."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

import pytest

from assistant.record import Record

T = TypeVar("T")


@dataclass(frozen=True)
class Standard:
    name: str
    sizes: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list[str], compare=False)
    hidden: int = field(default=3, repr=False)


def as_record() -> Any:
    """A new class, of which no object was made."""

    class Made(Record):
        name: str
        sizes: tuple[int, ...] = ()
        notes: list[str] = field(default_factory=list[str], compare=False)
        hidden: int = field(default=3, repr=False)

    return Made


USES: dict[str, Callable[[Any], Any]] = {
    "fields": lambda kind: [(f.name, f.compare, f.repr) for f in fields(kind)],
    "is one": is_dataclass,
    "fields of an object": lambda kind: len(fields(kind("a"))),
    "equal": lambda kind: (kind("a", notes=["x"]) == kind("a"), kind("a") == kind("b"), kind("a") == "a"),
    "hash": lambda kind: hash(kind("a", (1, 2))),
    "shown": lambda kind: repr(kind("a", (1,))).rpartition(".")[2].partition("(")[2],
    "replaced": lambda kind: replace(kind("a"), name="b").name,
    "by position": lambda kind: kind.__match_args__ if kind("a") else None,
    "defaults of their own": lambda kind: kind("a").notes is kind("a").notes,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_it_is_a_frozen_dataclass_whatever_is_asked_of_it_first(use: Callable[[Any], Any]) -> None:
    assert use(as_record()) == use(Standard)


@pytest.mark.parametrize("change", [lambda made: setattr(made, "name", "b"), lambda made: delattr(made, "name")])
def test_it_is_frozen(change: Callable[[Any], None]) -> None:
    with pytest.raises(FrozenInstanceError):
        change(as_record()("a"))


def test_wrong_arguments_are_refused_from_the_first_object_on() -> None:
    kind = as_record()
    for _ in range(2):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
            kind()


def test_options_of_dataclasses_are_kept() -> None:
    class Version(Record, order=True):
        major: int

    class Handle(Record, eq=False):
        number: int

    assert Version(1) < Version(2)
    assert Handle(1) != Handle(1)


def test_what_is_checked_on_creation_is_checked_the_first_time() -> None:
    class Positive(Record):
        value: int

        def __post_init__(self) -> None:
            if self.value <= 0:
                raise ValueError(self.value)

    with pytest.raises(ValueError, match="0"):
        Positive(0)
    assert Positive(1).value == 1


def test_further_fields_come_after_those_of_the_base_used_or_not() -> None:
    class Base(Record):
        first: int

    class Unused(Record):
        first: int

    Base(1)

    class More(Base):
        second: int

    class Other(Unused):
        second: int

    assert More(1, 2).second == Other(1, 2).second == 2


def test_it_may_be_generic() -> None:
    class Answer(Record, Generic[T]):
        value: T

    assert Answer[int](3) == Answer(3)


def test_threads_may_make_the_first_objects_at_once() -> None:
    for _ in range(50):
        kind, start, made = as_record(), threading.Barrier(4), list[Any]()

        def make(kind: Any = kind, start: threading.Barrier = start, made: list[Any] = made) -> None:
            start.wait()
            made.append(kind("a"))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [kind("a")] * 4


def test_a_command_that_starts_makes_few_of_them() -> None:
    code = """
import assistant.cli.compose
from assistant.record import Record
kinds = Record.__subclasses__()
print(len(kinds), sum("__dataclass_fields__" in kind.__dict__ for kind in kinds))
"""
    known, made = map(int, subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True).stdout.split())
    assert known > 300 and made < known / 4
