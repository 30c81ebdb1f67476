"""Settings with their origins, the user's and the workspace's folders, and trust. Reads files and environment."""

from assistant.config.load import EditorSettings, LoadedSettings, load_settings, memory_path
from assistant.config.paths import UserPaths, find_project, find_workspace, is_workspace, user_paths, workspace_folder
from assistant.config.setting_names import setting
from assistant.config.settings import DEFAULT_LAUNCH_BYTES, Settings
from assistant.config.trust import Consent, ConsentAnswer, EndpointConsent, ProgramConsent, RunPurpose, TrustOfThisRun, TrustStore

__all__ = [
    "DEFAULT_LAUNCH_BYTES",
    "Consent",
    "ConsentAnswer",
    "EditorSettings",
    "EndpointConsent",
    "LoadedSettings",
    "ProgramConsent",
    "RunPurpose",
    "Settings",
    "TrustOfThisRun",
    "TrustStore",
    "UserPaths",
    "find_project",
    "find_workspace",
    "is_workspace",
    "load_settings",
    "memory_path",
    "setting",
    "user_paths",
    "workspace_folder",
]
