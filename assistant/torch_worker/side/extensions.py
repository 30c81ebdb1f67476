# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""PyTorch's ``load_inline`` and ``load``, where an extension's functions run on the emulator, in another process.

A candidate is run again and again: a call whose answer is not known yet is written down and ends its case (`Pending`), all calls that were
written down are run, and the next time they are answered. A call is known by its place (which model or case, the how manieth call there)
and by its arguments: other arguments at the same place are another call. Where C++ calls functions of PyTorch, the answer is what it asks
for: that is computed here (`aten`), and the call is another one, with these results.
"""

from __future__ import annotations

import hashlib
import struct
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.aten import answered, schemas_in
from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.tensor_files import tensors_in
from assistant.torch_worker.side.value_bytes import ValueReader, text_bytes, value_bytes, write_memory

__all__ = ["Extensions", "Pending"]

_MOST_ROUNDS = 40
"""So often one call may ask for functions of PyTorch."""


class Pending(BaseException):
    """The answer of a call is not known yet. No ``Exception``: a candidate's own handlers must not take it for an error."""


class Extensions:
    """Every extension that the candidate asked for, in order, and the calls of its functions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = (-1, 0)
        self.requests: list[dict[str, Any]] = []
        """What each extension is built from."""
        self._calls: list[dict[tuple[int, int], bytes]] = []
        self._answers: list[dict[str, bytes]] = []
        self.is_pending = False
        """Whether a call since `at` has no answer yet, even if the candidate went on all the same."""
        self.call_count = 0

    def at(self, place: int) -> None:
        """What is called from here on belongs to this model or case."""
        self._place = (place, 0)
        self.is_pending = False

    def install(self) -> None:
        """In the place of PyTorch's own functions, for the rest of this process."""
        from torch.utils import cpp_extension

        cpp_extension.load_inline = self._load_inline
        cpp_extension.load = self._load

    def _load_inline(
        self, name: str, cpp_sources: Any = "", cuda_sources: Any = "", functions: Any = None, *_: Any, **further: Any
    ) -> types.SimpleNamespace:
        names = list(functions) if isinstance(functions, (list, tuple, dict)) else [functions] if functions else []
        sources = [["cpp", text] for text in _texts(cpp_sources)] + [["cu", text] for text in _texts(cuda_sources)]
        return self._added(name, sources, names, further)

    def _load(self, name: str, sources: Any, *_: Any, **further: Any) -> types.SimpleNamespace:
        paths = [Path(path) for path in _texts(sources)]
        texts = [["cu" if path.suffix == ".cu" else "cpp", path.read_text("utf-8")] for path in paths]
        return self._added(name, texts, [], further)

    def _added(self, name: str, sources: list[list[str]], functions: list[str], further: dict[str, Any]) -> Any:
        index = len(self.requests)
        flags = [str(flag) for key in ("extra_cflags", "extra_cuda_cflags") for flag in further.get(key) or ()]
        schemas = schemas_in([text for _, text in sources])
        self.requests.append({"name": name, "sources": sources, "functions": functions, "flags": flags, "schemas": schemas})
        self._calls.append({})
        self._answers.append(_read_answers(self._folder / f"answers{index}.bin"))
        return _Functions(lambda function: lambda *values, **named: self._call(index, function, values, named))

    def _call(self, index: int, function: str, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
        arguments = [*values, *named.values()]
        given = text_bytes(function) + struct.pack("<q", len(arguments)) + b"".join(map(value_bytes, arguments))
        key = self._place
        self._place = (key[0], key[1] + 1)
        self.call_count += 1
        results: list[bytes] = []
        for _ in range(_MOST_ROUNDS):
            request = given + struct.pack("<q", len(results)) + b"".join(results)
            self._calls[index][key] = request
            answer = self._answers[index].get(_identity(key, request))
            if answer is None:
                self.is_pending = True
                raise Pending
            if answer[:1] != b"C":
                return _given(answer, list(tensors_in(arguments)))
            if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors_in(arguments)):
                raise SideError("unsupported", f"{function}() calls functions of PyTorch in C++, through which no gradients are emulated: "
                                "have it called in a torch.autograd.Function")  # fmt: skip
            results += answered(answer[1:], first=len(results))
        raise SideError("unsupported", f"{function}() calls functions of PyTorch in C++ more than {_MOST_ROUNDS} times one after the other")

    def write_calls(self) -> list[list[str]]:
        """Each extension's calls into ``calls{index}.bin``; for each call what identifies it."""
        listed: list[list[str]] = []
        for index, calls in enumerate(self._calls):
            ordered = sorted(calls.items())
            data = struct.pack("<q", len(ordered)) + b"".join(request for _, request in ordered)
            (self._folder / f"calls{index}.bin").write_bytes(data)
            listed.append([_identity(place, request) for place, request in ordered])
        return listed


class _Functions:
    """A module whose every public name is a function of the extension."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._function(name)


def _texts(given: Any) -> list[str]:
    if given is None or given == "":
        return []
    return [str(given)] if isinstance(given, (str, Path)) else [str(text) for text in given]


def _identity(place: tuple[int, int], request: bytes) -> str:
    """Of one call: the same place and the same arguments."""
    return hashlib.sha256(struct.pack("<qq", *place) + request).hexdigest()


def _read_answers(path: Path) -> dict[str, bytes]:
    """By what identifies the call."""
    if not path.exists():
        return {}
    data, found, at = path.read_bytes(), {}, 0
    while at < len(data):
        (size,) = struct.unpack_from("<q", data, at)
        found[data[at + 8 : at + 72].decode()] = data[at + 72 : at + 72 + size]
        at += 72 + size
    return found


def _given(answer: bytes, arguments: list[torch.Tensor]) -> Any:
    """The value returned; tensors that the call changed are changed. Raises RuntimeError for what the call raised."""
    reader = ValueReader(answer)
    kind = reader.take("<c")
    if kind == b"E":
        raise RuntimeError(reader.text())
    returned = reader.value(arguments)
    for tensor in arguments:
        if reader.take("<b"):
            write_memory(tensor, reader.sized())
    return returned
