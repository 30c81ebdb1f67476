"""Imported by every Python whose ``PYTHONPATH`` names this folder: the commands that end-to-end tests start reach no network either."""

from ban import forbid

forbid()
