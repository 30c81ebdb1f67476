"""Answers no task of the suite."""
