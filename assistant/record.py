"""The base of all values here: a frozen dataclass that is made one when it is first used.

`dataclasses.dataclass` writes and compiles six methods for each class, 1.6 ms each time a process starts; some 500 classes, most of
which a command never uses, were two fifths of the time that it took to start.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field
from threading import RLock
from typing import Any, ClassVar, dataclass_transform

__all__ = ["Record"]

_making = RLock()


class _Fields:
    """Stands for the fields of a class that is not a dataclass yet, and makes it one when they are asked for."""

    def __get__(self, _: object, owner: type) -> dict[str, Field[Any]]:
        if owner is Record:
            raise AttributeError("__dataclass_fields__")
        _make(owner)
        return owner.__dict__["__dataclass_fields__"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Subclasses are frozen dataclasses: ``class Span(Record): start: int; end: int``. Options as ``class Version(Record, order=True)``.

    A subclass of a subclass is made at once.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = _Fields()  # type: ignore[assignment]
    _options: ClassVar[dict[str, bool]] = {}

    def __init_subclass__(cls, **options: bool) -> None:
        super().__init_subclass__()
        cls._options = options
        if any(issubclass(base, Record) and base is not Record for base in cls.__bases__):
            _make(cls)

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Stands in for the ``__init__`` of classes that no object was made of yet."""
        _make(type(self))
        self.__init__(*arguments, **named)


def _make(cls: type) -> None:
    with _making:
        if "__dataclass_fields__" not in cls.__dict__:
            dataclass(frozen=True, **cls._options)(cls)  # type: ignore[attr-defined]
