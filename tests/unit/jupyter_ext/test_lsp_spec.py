"""jupyter-lsp finds the language server by itself, and what it finds is what its schema asks for."""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import entry_points

from jupyter_ext.lsp_spec import language_servers


def test_the_specification_is_valid_by_jupyter_lsps_own_schema() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # jupyter-lsp 2.3 uses traitlets as before 5.0
        # Here, as it takes seconds and only one of the processes that run tests needs it.
        from jupyter_lsp.schema import LANGUAGE_SERVER_SPEC_MAP
    assert list(LANGUAGE_SERVER_SPEC_MAP.iter_errors(language_servers(None))) == []


def test_it_starts_this_very_python_for_documents_of_language_cuda() -> None:
    (spec,) = language_servers(None).values()
    assert spec["argv"] == [sys.executable, "-P", "-m", "assistant", "lsp", "--stdio"]
    assert spec["languages"] == ["cuda"] and spec["version"] == 2


def test_the_installed_package_says_where_it_is() -> None:
    (found,) = entry_points(group="jupyter_lsp_spec_v1", name="kernelopt")
    assert found.load() is language_servers
