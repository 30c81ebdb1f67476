"""Imported by every Python whose ``PYTHONPATH`` names this folder: what a job draws is the same in every run, and no network is reached.

A job draws its seeds from ``secrets.randbits``; identifiers come from elsewhere.
"""

import random
import secrets
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "network"))

from ban import forbid

forbid()
secrets.randbits = random.Random(20261122).getrandbits
