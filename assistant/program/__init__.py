"""Which sources belong together: the programs that a file is part of, and which of them a person chose.

Reads sources through its caller, lists folders, and starts nothing; knows nothing of compilers, labs and jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.program.choice import choose_program as choose_program
    from assistant.program.choice import chosen_program as chosen_program
    from assistant.program.facts import KeptFacts as KeptFacts
    from assistant.program.finding import find_extensions as find_extensions
    from assistant.program.finding import find_programs as find_programs
    from assistant.program.finding import programs_of_folder as programs_of_folder

__getattr__ = names_of(__name__, __file__)
