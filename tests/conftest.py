"""Holds for every test: none reaches the network."""

from tests.network.ban import forbid

forbid()
