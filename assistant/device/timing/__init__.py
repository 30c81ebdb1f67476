"""Timing of kernels on a GPU, as DESIGN §6.1 has it. Part of the worker: takes times and says how, judges nothing."""
