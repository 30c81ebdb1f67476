"""Worker process for compilers (and, on a machine with a GPU, for the GPU): ``python -m assistant.device``. No module imports it."""
