"""Kernels in the user's own Python process: arrays bound to parameters, launches on their GPU, recordings of what their code launched.

It knows no notebook: a front end that runs in the user's process builds on it.
"""
