"""GRPO with TRL on toy tasks of kernelopt, from a model without weights to held-out tasks: ``python -m kernelopt_trl train``.

Imports nothing of kernelopt: its judge is a process, so that both keep their own dependencies.
"""
