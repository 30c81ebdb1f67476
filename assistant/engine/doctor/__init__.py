"""What is here, what is missing, and how to get it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.doctor.doctor import Part as Part
    from assistant.engine.doctor.doctor import examine as examine
    from assistant.engine.doctor.models import examine_models as examine_models
    from assistant.engine.doctor.warming import warm_emulator as warm_emulator

__getattr__ = names_of(__name__, __file__)
