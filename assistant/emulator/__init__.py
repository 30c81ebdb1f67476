"""CUDA on a CPU: translation of ``.cu`` sources to C++, the runtime that executes them, the counters of what they do."""
