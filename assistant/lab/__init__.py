"""Where things run: the parent side of the worker processes. Knows messages and files, never what a verdict is."""
