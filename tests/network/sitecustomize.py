"""Imported by every Python whose ``PYTHONPATH`` names this folder: the commands that end-to-end tests start reach no network either, and
prepare nothing that no test asks for."""

from ban import forbid
from quick import leave_out_parsers

forbid()
leave_out_parsers()
