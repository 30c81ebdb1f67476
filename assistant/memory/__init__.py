"""What was tried and decided, in one SQLite file in the user's data folder, and what can be learnt from it."""

from assistant.memory.store import MemoryStore, open_store

__all__ = ["MemoryStore", "open_store"]
