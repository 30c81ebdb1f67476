"""uv installs from where pip would; where it cannot be told, pip does it."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from tests.unit.import_graph import ROOT


def installing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelopt_installing", ROOT / ".ci" / "install.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_uv_is_told_where_pip_finds_packages() -> None:
    listed = (
        ":env:.find-links='/wheels'\n"
        "global.constraint='/etc/constraints.txt'\n"
        "global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'\n"
        "global.find-links='/wheels /more'\n"
        "global.timeout='60'\n"
        "user.index-url='https://mirror.example/simple'\n"
    )
    assert installing().uvs_environment(listed) == {
        "UV_CONSTRAINT": "/etc/constraints.txt",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
    }


def test_what_uv_cannot_be_told_is_left_to_pip() -> None:
    assert installing().uvs_environment("global.trusted-host='mirror.example'\n") is None
    assert installing().uvs_environment("global.proxy='http://proxy.example'\n") is None
    assert installing().uvs_environment("") == {}
