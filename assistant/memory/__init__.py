"""What was tried and decided, in one SQLite file in the user's data folder, and what can be learnt from it."""

from assistant.memory.aliases import BY_PERSON, Alias
from assistant.memory.chains import Composite
from assistant.memory.export import export_lines
from assistant.memory.forget import ForgetScope, ForgottenCounts
from assistant.memory.integrity import Damage, IntegrityReport
from assistant.memory.knowledge import as_json, as_text, promise
from assistant.memory.lessons import KeptLesson, Learnt
from assistant.memory.store import MemoryStore, open_store

__all__ = [
    "BY_PERSON",
    "Alias",
    "Composite",
    "Damage",
    "ForgetScope",
    "ForgottenCounts",
    "IntegrityReport",
    "KeptLesson",
    "Learnt",
    "MemoryStore",
    "as_json",
    "as_text",
    "export_lines",
    "open_store",
    "promise",
]
