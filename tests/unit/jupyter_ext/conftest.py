"""One notebook's workshop with an empty memory, for all tests of a module."""

from collections.abc import Generator

import pytest

from jupyter_ext.workshop import Workshop
from tests.caches import shared_cache


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Generator[Workshop]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        (home / "cache").symlink_to(shared_cache())
        patch.setenv("KERNELOPT_HOME", str(home))
        made = Workshop()
        yield made
        made.close()
