"""What a person writes where settings are missing, in whole: an installed kernelopt has no pages to point to."""

from __future__ import annotations

from assistant.config.paths import user_paths

__all__ = ["how_to_set_a_model"]


def how_to_set_a_model() -> str:
    """The file and the lines that name a language model; for the end of an error's words."""
    return (
        f'write into {user_paths().config} a section [provider] with kind = "openai" and model = "NAME"; for another service than OpenAI, '
        'or a server on this machine, base_url = "http://localhost:11434/v1" (11434 is Ollama\'s port) too; a key is read from '
        'OPENAI_API_KEY, or from the variable that key_env names; with kind = "manual" any chat window answers, by files'
    )
