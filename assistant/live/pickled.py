"""A value of this process as a Python expression that makes an equal one elsewhere: as it is written, else a pickle.

A pickle refers to functions and classes of the user's own by name, so that the file which it stands in has to define them; what cannot be
pickled is refused by its name. Example::

    literal(3)                      # '3'
    made = pickled(model, "model")
    made.expression, made.named     # "kernelopt_unpickled('gASV…')", (('Block', <class Block>),)
"""

from __future__ import annotations

import ast
import base64
import importlib
import io
import pickle
from types import FunctionType
from typing import cast

from assistant.errors import UsageError
from assistant.live.definitions import definition_of, is_installed
from assistant.record import Record

__all__ = ["UNPICKLED", "Pickled", "literal", "pickled"]

UNPICKLED = '''
def kernelopt_unpickled(data):
    """A value of another process; its own functions and classes are those of this file."""
    import base64, io, pickle

    class Reader(pickle.Unpickler):
        def persistent_load(self, name):
            return globals()[name]

    return Reader(io.BytesIO(base64.b64decode(data))).load()
'''
"""What a file with pickles needs above them."""
_MOST_BYTES = 16 << 20
"""A pickle stands in a file's text: a larger one is refused."""
_OF_VALUES = "make it where it is used, in a function of the task's own"
_OF_DEFINITIONS = "define it in a file or in a cell of a notebook, where its source is known"


class Pickled(Record):
    """A value that is not written out."""

    expression: str
    named: tuple[tuple[str, type | FunctionType], ...] = ()
    """What it refers to by name."""


def literal(value: object) -> str | None:
    """Numbers, texts and containers of them, as they are written; None for anything else."""
    try:
        text = repr(value)
        read = ast.literal_eval(text)
        return text if type(value) is type(read) and read == value else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def pickled(value: object, what: str) -> Pickled:
    """By pickle, else by cloudpickle; ``what``: its name in a refusal. Raises UsageError."""
    made = _plain(value)
    data, named = (_by_cloudpickle(value, what), ()) if made is None else made
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{what} takes {len(data) / 2**20:.0f} MiB, too much to be sent", "give a function that makes it")
    return Pickled(f"kernelopt_unpickled({base64.b64encode(data).decode()!r})", named)


class _Writer(pickle.Pickler):
    """Leaves functions and classes out that a file can define by their source."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.named: dict[str, type | FunctionType] = {}

    def persistent_id(self, obj: object) -> str | None:
        if not isinstance(obj, type | FunctionType) or is_installed(obj) or definition_of(obj) is None:
            return None
        name = obj.__name__
        if not name.isidentifier() or self.named.setdefault(name, obj) is not obj:
            raise pickle.PicklingError(f"two things are called {name}")
        return name


def _plain(value: object) -> tuple[bytes, tuple[tuple[str, type | FunctionType], ...]] | None:
    """None for what pickle cannot take, or would look for in the user's script, which is another one elsewhere."""
    file = io.BytesIO()
    writer = _Writer(file)
    try:
        writer.dump(value)
    except Exception:  # noqa: BLE001 - a value's own code decides how it is pickled
        return None
    data = file.getvalue()
    return None if b"__main__" in data else (data, tuple(writer.named.items()))


def _by_cloudpickle(value: object, what: str) -> bytes:
    remedy = _OF_DEFINITIONS if isinstance(value, type | FunctionType) else _OF_VALUES
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError:
        words = f"{remedy}; or pip install cloudpickle where both Pythons find it"
        raise UsageError(f"{what} cannot be sent to the process that judges it", words) from None
    try:
        return cast("bytes", cloudpickle.dumps(value))
    except Exception as error:
        message = f"{what} cannot be sent to the process that judges it: {type(error).__name__}: {error}"
        raise UsageError(message, remedy) from error
