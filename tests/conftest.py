"""Holds for every test: none reaches the network, none fails because the machine was busy while hypothesis watched the clock, and all
write below one folder (`tests.places`)."""

import os

from hypothesis import settings

from tests.network.ban import forbid
from tests.places import quick_folder

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
forbid()
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(quick_folder()))  # pytest's own name for where ``tmp_path`` is
