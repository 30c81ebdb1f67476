"""Language models behind the one method of `ports.provider.Provider`: an endpoint, the editor's model, or a person with a chat window."""

from assistant.plan.providers.editor import EDITOR_ENDPOINT, EditorProvider, ModelRelay
from assistant.plan.providers.manual import ManualProvider, OnWaiting
from assistant.plan.providers.opening import ProviderSetup, open_provider
from assistant.plan.providers.prices import PriceTable, read_prices

__all__ = [
    "EDITOR_ENDPOINT",
    "EditorProvider",
    "ManualProvider",
    "ModelRelay",
    "OnWaiting",
    "PriceTable",
    "ProviderSetup",
    "open_provider",
    "read_prices",
]
