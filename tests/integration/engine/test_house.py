"""The house's own rules: frozen values, no CUDA in the front end, no sockets."""

import dataclasses
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import assistant.model

_CUDA_MODULES = ("torch", "cuda", "pycuda", "cupy", "openai", "pygls")


def _model_modules() -> list[str]:
    return [f"assistant.model.{item.name}" for item in pkgutil.iter_modules(assistant.model.__path__)]


def test_every_value_of_the_model_is_frozen() -> None:
    thawed = [
        f"{name}.{attribute}"
        for name in _model_modules()
        for attribute, value in vars(importlib.import_module(name)).items()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and not value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    ]
    assert thawed == []


def test_the_model_imports_only_the_standard_library() -> None:
    code = (
        f"import sys; before = set(sys.modules); import {', '.join(_model_modules())}\n"
        "new = {m.split('.')[0] for m in set(sys.modules) - before}\n"
        "print(sorted(m for m in new if m not in sys.stdlib_module_names and m != 'assistant'))"
    )
    assert _output(code) == "[]"


def test_a_command_loads_no_cuda_model_client_or_editor_library_and_opens_no_connection(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n")
    code = (
        "import sys; connected = []\n"
        "sys.addaudithook(lambda name, _: connected.append(name) if name in "
        "('socket.connect', 'socket.getaddrinfo', 'socket.sendto') else None)\n"
        f"sys.argv = ['kernelopt', 'inspect', {str(source)!r}]\n"
        "from assistant.__main__ import main; code = main()\n"
        f"print(); print(code, [m for m in {_CUDA_MODULES!r} if m in sys.modules], connected)"
    )
    assert _output(code, KERNELOPT_HOME=str(tmp_path / "home")).splitlines()[-1] == "0 [] []"


def test_no_class_of_an_event_is_made_before_one_is_needed() -> None:
    code = (
        "import assistant.cli.compose, typing; from assistant.model.events import Event\n"
        "print([kind.__name__ for kind in typing.get_args(Event) if '__dataclass_fields__' in kind.__dict__])"
    )
    assert _output(code) == "[]"


def _output(code: str, **variables: str) -> str:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment).stdout.strip()
