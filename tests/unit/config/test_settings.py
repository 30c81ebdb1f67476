"""Where settings come from, which one wins, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.config import EditorSettings, LoadedSettings, load_settings, memory_path
from assistant.config.reference import markdown, schema_text
from assistant.config.reference_vscode import TITLE, vscode_properties
from assistant.config.setting_names import is_lower_only, is_user_only, leaf_fields, leaf_names
from assistant.errors import UsageError
from assistant.measure.targets import target_names

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "docs" / "reference"


def check_refused(match: str, remedy: str, workspace: Path | None = None, **overrides: object) -> None:
    with pytest.raises(UsageError, match=match) as caught:
        load_settings(workspace, overrides)
    assert remedy in caught.value.remedy


def target(loaded: LoadedSettings) -> tuple[str, str]:
    return loaded.settings.target, Path(loaded.origins["target"]).name


def test_without_any_file_all_settings_are_defaults(workspace: Path) -> None:
    loaded = load_settings(workspace)
    assert target(loaded) == ("h200", "default")
    assert set(loaded.origins) == set(leaf_names())
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.warnings == ()


def test_the_stronger_place_wins_and_is_named(workspace: Path, home: Path) -> None:
    def editor(user: str, folder: str | None = None) -> EditorSettings:
        return EditorSettings({} if folder is None else {"target": folder}, {"target": user})

    (home / "config.toml").write_text('target = "from-user-file"\n')
    assert target(load_settings(workspace)) == ("from-user-file", "config.toml")
    (workspace / "pyproject.toml").write_text('[tool.kernelopt]\ntarget = "from-pyproject"\n')
    assert target(load_settings(workspace)) == ("from-pyproject", "pyproject.toml")
    (workspace / "kernelopt.toml").write_text('target = "from-toml"\n')
    assert target(load_settings(workspace)) == ("from-toml", "kernelopt.toml")
    assert target(load_settings(workspace, editor=editor("from-user"))) == ("from-user", "editor user")
    in_editor = editor("from-user", "from-folder")
    assert target(load_settings(workspace, editor=in_editor)) == ("from-folder", "editor folder")
    assert target(load_settings(workspace, {"target": "from-cli"}, in_editor)) == ("from-cli", "command line")


def test_settings_from_several_places_are_merged_one_by_one(workspace: Path) -> None:
    (workspace / "pyproject.toml").write_text('[tool.kernelopt.build]\nflags = ["-O2"]\n[tool.kernelopt.run]\ntimeout_s = 5\n')
    (workspace / "kernelopt.toml").write_text('[build]\nflags = ["-O3", "-DN=4"]\n')
    loaded = load_settings(workspace)
    assert loaded.settings.build.flags == ("-O3", "-DN=4")
    assert loaded.settings.run.timeout_s == 5.0


def test_an_option_that_was_not_given_overrides_nothing(workspace: Path) -> None:
    (workspace / "kernelopt.toml").write_text('device = "cpu"\n')
    assert load_settings(workspace, {"device": None}).settings.device == "cpu"


def test_overrides_may_be_dotted_or_nested() -> None:
    assert load_settings(None, {"run.timeout_s": 7}).settings.run.timeout_s == 7
    assert load_settings(None, {"run": {"timeout_s": 7}}).settings.run.timeout_s == 7


def test_an_unknown_name_is_refused_with_the_nearest_one(workspace: Path) -> None:
    check_refused("command line: unknown setting tragte", "did you mean target?", tragte="h100")
    check_refused("unknown setting flags", "did you mean build.flags?", flags=["-O3"])
    check_refused("unknown setting limits.candidate", "did you mean limits.candidates?", limits={"candidate": 3})
    check_refused("unknown setting zzz", "doctor --config", zzz=1)
    (workspace / "kernelopt.toml").write_text("[verifcation]\nseeds = 4\n")
    check_refused(r"kernelopt\.toml: unknown setting verifcation", "did you mean verification?", workspace)


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [
        ("device", "gpu", '"auto"'),
        ("limits.rounds", 0, ""),
        ("run.timeout_s", "soon", "60.0"),
        ("verification.seeds", 2, "3"),
        ("planner", "oracle", '"auto"'),
        ("build.flags", "-O3", "[]"),
        ("run.timeout_s", float("inf"), "60.0"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place_and_the_default(name: str, value: object, default: str) -> None:
    check_refused(f"command line: {name} = ", f"the default is {default}", **{name: value})


@pytest.mark.parametrize("name", [name for name in leaf_names() if name.endswith("key_env")])
def test_a_key_pasted_where_its_name_belongs_is_not_repeated(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name}: ") as caught:
        load_settings(None, {name: "sk-12345"})
    assert "12345" not in caught.value.message + caught.value.remedy


def test_a_value_in_place_of_a_table_is_refused() -> None:
    check_refused("build is a table, not a value", "[build]", build=3)


def test_broken_toml_is_refused_with_its_place(workspace: Path) -> None:
    (workspace / "kernelopt.toml").write_text("target = \n")
    check_refused(r"kernelopt\.toml is not valid TOML: .*line 1", "fix the file", workspace)


def test_a_workspace_file_cannot_choose_where_code_is_sent_or_memory_kept(workspace: Path) -> None:
    (workspace / "kernelopt.toml").write_text(
        'target = "a100"\n[provider]\nkind = "openai"\nbase_url = "https://evil.example"\n[memory]\npath = "/tmp/x"\n'
    )
    loaded = load_settings(workspace, editor=EditorSettings({"provider.key_env": "HOME"}, {"provider.model": "mine"}))
    assert loaded.settings.target == "a100"
    assert (loaded.settings.provider.kind, loaded.settings.provider.base_url) == ("none", None)
    assert loaded.settings.provider.model == "mine"
    assert loaded.settings.provider.key_env == "OPENAI_API_KEY"
    assert loaded.settings.memory.path is None
    ignored = sorted(text.split(": ")[1].split()[0] for text in loaded.warnings)
    assert ignored == ["memory.path", "provider.base_url", "provider.key_env", "provider.kind"]


def test_a_workspace_file_cannot_raise_what_models_may_cost_but_may_bound_the_search(workspace: Path) -> None:
    (workspace / "kernelopt.toml").write_text("[budget]\nmoney_usd = 1000\ntokens = 1000\nrounds = 3\n[signals]\nprofile = 'off'\n")
    loaded = load_settings(workspace)
    assert (loaded.settings.budget.money_usd, loaded.settings.budget.tokens, loaded.settings.budget.rounds) == (None, None, 3)
    assert loaded.settings.signals.profile == "off"
    assert len(loaded.warnings) == 2


def test_the_users_own_file_may(workspace: Path, home: Path) -> None:
    (home / "config.toml").write_text('[provider]\nbase_url = "http://localhost:11434/v1"\n')
    loaded = load_settings(workspace)
    assert loaded.settings.provider.base_url == "http://localhost:11434/v1"
    assert loaded.warnings == ()


def test_memory_lies_in_the_users_data_unless_set(home: Path) -> None:
    assert memory_path(load_settings(None).settings) == home / "memory.sqlite3"
    assert memory_path(load_settings(None, {"memory.path": "/data/m.sqlite3"}).settings) == Path("/data/m.sqlite3")


def test_a_workspace_may_lower_what_costs_the_user_and_never_raise_it(workspace: Path, home: Path) -> None:
    (workspace / "kernelopt.toml").write_text("[search]\nvariants = 16\nbeam = 1\nrepairs = 4\n[budget]\nrounds = 9\n")
    untold = load_settings(workspace)
    assert (untold.settings.search.variants, untold.settings.search.beam, untold.settings.search.repairs) == (2, 1, 2)
    assert untold.settings.budget.rounds == 9
    assert "search.variants = 16 is ignored here, where nothing may go beyond your own 2" in "\n".join(untold.warnings)
    (home / "config.toml").write_text("[search]\nrepairs = 4\n[budget]\nrounds = 3\n")
    told = load_settings(workspace)
    assert (told.settings.search.repairs, told.settings.budget.rounds) == (4, 3)
    assert load_settings(workspace, {"search.variants": 5}).settings.search.variants == 5


def test_a_workspace_may_silence_a_signal_and_never_send_one_that_its_user_keeps(workspace: Path, home: Path) -> None:
    (workspace / "kernelopt.toml").write_text('[signals]\ncompile = "raw"\nverify = "off"\nprofile = "summarised"\n')
    (home / "config.toml").write_text('[signals]\ncompile = "off"\n')
    signals = load_settings(workspace).settings.signals
    assert (signals.compile, signals.verify, signals.profile) == ("off", "off", "raw")


def test_the_reference_page_is_current_and_names_every_setting() -> None:
    page = markdown()
    assert (REFERENCE / "settings.md").read_text("utf-8") == page
    assert all(f"| `{name}` |" in page for name in leaf_names())


def test_vscode_declares_every_setting_and_takes_no_users_own_ones_from_a_workspace() -> None:
    groups = json.loads((ROOT / "vscode-client" / "package.json").read_text("utf-8"))["contributes"]["configuration"]
    (properties,) = (group["properties"] for group in groups if group["title"] == TITLE)
    assert properties == vscode_properties(), "python -m assistant.config.reference_vscode vscode-client/package.json"
    for name, field in leaf_fields():
        assert (properties[f"kernelopt.{name}"]["scope"] == "machine") == (is_user_only(field) or is_lower_only(field))


def test_the_targets_that_editors_offer_are_those_that_are_known() -> None:
    assert json.loads(schema_text())["properties"]["target"]["enum"] == list(target_names())


def test_the_json_schema_is_current() -> None:
    assert (REFERENCE / "kernelopt.schema.json").read_text("utf-8") == schema_text()
    assert json.loads(schema_text())["additionalProperties"] is False
