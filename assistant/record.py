"""The base of all values here: a frozen dataclass that is made one when it is first used.

`dataclasses.dataclass` writes and compiles six methods for each class, 1.6 ms each time a process starts; some 500 classes, most of
which a command never uses, were two fifths of the time that it took to start. So only ``__init__`` is written for each
class, the rest is the same function for all: 0.4 ms.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from reprlib import recursive_repr
from threading import RLock
from typing import Any, ClassVar, NoReturn, dataclass_transform

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
        if "__dataclass_fields__" in cls.__dict__:
            return
        if _is_plain(cls):
            _make_plain(cls)
        else:
            dataclass(frozen=True, **cls._options)(cls)  # type: ignore[attr-defined]


def _is_plain(cls: Any) -> bool:
    """Whether nothing but fields of the class's own, all parameters, is to be made of it."""
    is_first = not any(issubclass(base, Record) and base is not Record for base in cls.__bases__)
    given: list[Any] = [*cls.__dict__.values()]
    has_parameters_only = all(each.init and each.kw_only is MISSING and each.hash is None for each in given if type(each) is Field)
    types = get_annotations(cls).values()
    return is_first and not cls._options and has_parameters_only and all(isinstance(one, str) and not _is_special(one) for one in types)


def _is_special(annotation: str) -> bool:
    return any(word in annotation for word in ("ClassVar", "InitVar", "KW_ONLY"))


def _make_plain(cls: Any) -> None:
    """As ``dataclass(frozen=True)`` does, but for what ``__doc__`` says where the class has none."""
    own = dict(cls.__dict__)
    if cls.__doc__ is None:
        cls.__doc__ = f"{cls.__name__}(…)"  # else `dataclass` writes the signature of `__init__` out
    dataclass(init=False, repr=False, eq=False)(cls)
    parameters = cls.__dataclass_params__
    parameters.init = parameters.repr = parameters.eq = parameters.frozen = True
    initial, equal, hashed = _written(cls, fields(cls))
    methods: dict[str, Any] = {"__repr__": _repr, "__eq__": equal, "__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    if own.get("__hash__") is None:  # Python sets it to None where a class has `__eq__` alone
        cls.__hash__ = hashed
    if "__init__" not in own:
        cls.__init__ = initial  # last: who sees it sees the rest


class _Factory:
    """Stands for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _written(cls: type, of: tuple[Field[Any], ...]) -> tuple[Any, Any, Any]:
    """``__init__``, ``__eq__`` and ``__hash__`` of a class with these fields."""
    known: dict[str, Any] = {"_made_anew_": _FACTORY, "_set_": object.__setattr__}
    parameters, stored = ["_self_"], ["pass"]
    for each in of:
        value, default = each.name, ""
        if each.default_factory is not MISSING:
            known[f"_make_{each.name}_"] = each.default_factory
            value, default = f"_make_{each.name}_() if {each.name} is _made_anew_ else {each.name}", "=_made_anew_"
        elif each.default is not MISSING:
            known[f"_default_{each.name}_"], default = each.default, f"=_default_{each.name}_"
        parameters.append(each.name + default)
        stored.append(f"_set_(_self_, {each.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        stored.append("_self_.__post_init__()")
    own, others = (f"({''.join(f'{whose}.{each.name}, ' for each in of if each.compare)})" for whose in ("self", "other"))
    lines = (
        f"def __init__({', '.join(parameters)}):",
        *(f" {each}" for each in stored),
        "def __eq__(self, other):",
        f" return {own} == {others} if other.__class__ is self.__class__ else NotImplemented",
        "def __hash__(self):",
        f" return hash({own})",
    )
    exec("\n".join(lines), known)  # noqa: S102 - as `dataclasses` does, of names that the class has
    initial = known["__init__"]
    initial.__qualname__ = f"{cls.__qualname__}.__init__"
    initial.__annotations__ = {**{each.name: each.type for each in of}, "return": None}
    return initial, known["__eq__"], known["__hash__"]


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
