"""Runs PyTorch tasks: each side of a comparison in a process of its own, started by this worker and judged elsewhere.

``side`` is what runs in those processes, under the Python that has the project's PyTorch: it imports nothing of ours but itself.
``include`` holds C++ headers that stand in for PyTorch's in extensions that run on the emulator.
"""
