"""Holds for every test: none reaches the network, none fails because the machine was busy while hypothesis watched the clock, and all
write below one folder (`tests.places`).

Tests marked ``thorough`` repeat at length what others prove in short; they run where ``KERNELOPT_THOROUGH`` is set
(``make test-thorough``).
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.collecting import draw_no_constants_of_ours, import_own_share_first, no_garbage_collection
from tests.network.ban import forbid
from tests.network.quick import leave_out_parsers
from tests.order import longest_first
from tests.places import write_to_quick_folder

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
forbid()
leave_out_parsers()
if "KERNELOPT_THOROUGH" not in os.environ:
    draw_no_constants_of_ours()
write_to_quick_folder()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    with no_garbage_collection():
        import_own_share_first(session.config)
        return (yield)


@pytest.hookimpl(trylast=True)  # after syrupy, which takes snapshots of tests that it never saw for unused ones, and fails
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = longest_first(items, lambda item: item.nodeid)
    if "KERNELOPT_THOROUGH" in os.environ:
        return
    config.hook.pytest_deselected(items=[item for item in items if _is_thorough(item)])
    items[:] = [item for item in items if not _is_thorough(item)]


def _is_thorough(item: pytest.Item) -> bool:
    return item.get_closest_marker("thorough") is not None
