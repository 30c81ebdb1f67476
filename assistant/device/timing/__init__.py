"""Timing of kernels on a GPU (docs/explanation/timing.md). Part of the worker: takes times and says how, judges nothing."""
