"""Worker process that runs a user's program on a GPU and records its launches: ``python -m assistant.device.capture``."""
