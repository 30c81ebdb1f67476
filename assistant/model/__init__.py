"""The vocabulary: frozen values that every layer shares.

Imports nothing but the standard library, holds no behaviour beyond small derived properties, performs no I/O.
Each module is one concept; import from the module (``from assistant.model.source import Kernel``).
"""
