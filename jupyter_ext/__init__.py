"""The `%%kernelopt` cell magic and the Jupyter Server extension: thin edges over `assistant.engine`."""
