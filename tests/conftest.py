"""Holds for every test: none reaches the network, and none fails because the machine was busy while hypothesis watched the clock."""

from hypothesis import settings

from tests.network.ban import forbid

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
forbid()
