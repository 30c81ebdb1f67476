"""The language server: a thin edge over `assistant.editor`; `compose.py` makes its parts, each feature is a module, no product logic."""
