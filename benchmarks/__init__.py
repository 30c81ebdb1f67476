"""Figures of docs/measurements.md: ``make bench`` prints them; nothing here is a test."""
