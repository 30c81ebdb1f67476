"""Tasks made by drawing: PyTorch operators composed of functions, and CUDA kernels made worse by inverse techniques.

What is drawn follows from a seed and a number; nothing is run here. The files that it writes make tasks like any person's file does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.agents.synthesis.checking import checked as checked
    from assistant.agents.synthesis.checking import settings_of as settings_of
    from assistant.agents.synthesis.drawn import Drawn as Drawn
    from assistant.agents.synthesis.drawn import Kind as Kind
    from assistant.agents.synthesis.drawn import Split as Split
    from assistant.agents.synthesis.making import Asked as Asked
    from assistant.agents.synthesis.making import Check as Check
    from assistant.agents.synthesis.making import Made as Made
    from assistant.agents.synthesis.making import draw_tasks as draw_tasks
    from assistant.agents.synthesis.making import write_tasks as write_tasks

__getattr__ = names_of(__name__, __file__)
