"""What may be said beside a command: options anywhere, environment, settings file, help."""

from pathlib import Path

import pytest

from ebbtide import __version__
from ebbtide.serve.cli.main import hoisted, run
from tests.serve.shell import PANELS, Shell

# ---- options, environment, settings


@pytest.mark.parametrize(
    "words",
    [
        ("--agent", "ada", "put", "x"),
        ("put", "--agent", "ada", "x"),
        ("put", "x", "--agent", "ada"),
        ("put", "x", "--agent=ada"),
        ("put", "x", "-a", "ada"),
        ("put", "x", "-aada"),
        ("-aada", "put", "x"),
    ],
)
def test_global_options_may_stand_anywhere(ebbtide: Shell, words: tuple[str, ...]) -> None:
    ebbtide.said(*words)
    assert ebbtide.json("minds") == ["ada"]


def test_after_two_dashes_nothing_is_an_option() -> None:
    assert hoisted(["put", "--json", "--", "--json", "-a"]) == ["--json", "put", "--", "--json", "-a"]
    assert hoisted(["get", "k", "--as-of", "-3d", "--data=x"]) == ["--as-of", "-3d", "--data=x", "get", "k"]
    assert hoisted(["get", "k", "--data"]) == ["--data"]


def test_the_environment_says_who_and_how(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBTIDE_AGENT", "ada")
    monkeypatch.setenv("EBBTIDE_METABOLISM", "score")
    assert ebbtide.json("put", "x")["meta"]["score"] == 50
    assert ebbtide.json("minds") == ["ada"]
    assert ebbtide.said("put", "x", "--agent", "bob") == "remembered m1 (cold)"
    assert ebbtide.json("minds") == ["ada", "bob"]


def test_the_file_in_the_data_folder_says_how_new_minds_live(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    ebbtide.data.mkdir()
    (ebbtide.data / "ebbtide.toml").write_text(
        'agent = "ada"\nmetabolism = "retention"\n[params]\ndelete_below = 0.1\n'
    )
    ebbtide.said("put", "x", "--importance", "0.9")
    found = ebbtide.json("config")
    assert (found["metabolism"], found["params"]["delete_below"]) == ("retention", 0.1)
    assert ebbtide.json("minds") == ["ada"]
    monkeypatch.setenv("EBBTIDE_AGENT", "bob")
    ebbtide.said("put", "x")
    assert ebbtide.json("minds") == ["ada", "bob"]


def test_without_a_data_folder_minds_live_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["put", "x"]) == 0
    assert (tmp_path / ".ebbtide" / "default" / "mind.db").exists()
    monkeypatch.setenv("EBBTIDE_DATA", str(tmp_path / "elsewhere"))
    assert run(["put", "x", "-a", "ada"]) == 0
    assert (tmp_path / "elsewhere" / "ada" / "mind.db").exists()


# ---- help


@pytest.mark.parametrize("command", PANELS)
def test_every_command_has_help_that_says_what_it_is_for(ebbtide: Shell, command: str) -> None:
    said = ebbtide.said(command, "--help")
    assert said.startswith(f"Usage: ebbtide {command} ")
    assert ebbtide.said(command, "-h") == said
    assert not ebbtide.data.exists()


def test_help_lists_every_command_and_something_to_try(ebbtide: Shell) -> None:
    said = ebbtide.said("--help")
    for command in PANELS:
        assert f"│ {command} " in said
    assert 'Try it: ebbtide put "The ferry to Lamma leaves at 8:40." --key ferry' in said


def test_nothing_typed_shows_the_help(ebbtide: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Try it:" in capsys.readouterr().out


def test_the_version_is_the_packages(ebbtide: Shell) -> None:
    assert ebbtide.said("version") == f"ebbtide {__version__}"
    assert ebbtide.json("version") == {"version": __version__}
