"""Where settings come from, which wins, and what cannot be used."""

from pathlib import Path

import pytest

from ebbtide.core.errors import InvalidInput
from ebbtide.settings import FILE, Settings, load_settings


def write(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_text(text, "utf-8")


def test_without_a_word_from_anybody_the_defaults_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = load_settings({}, {})
    assert settings == Settings()
    assert settings.data == tmp_path / ".ebbtide"
    assert (settings.agent, settings.metabolism, settings.durability) == ("default", "tide", "normal")


def test_the_caller_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, 'agent = "file"\nmetabolism = "score"\ndurability = "full"\n')
    environ = {"EBBTIDE_DATA": str(tmp_path), "EBBTIDE_AGENT": "environment", "EBBTIDE_METABOLISM": "network"}
    settings = load_settings({"agent": "caller"}, environ)
    assert (settings.agent, settings.metabolism, settings.durability) == ("caller", "network", "full")


def test_the_file_is_that_of_the_folder_the_caller_means(tmp_path: Path) -> None:
    write(tmp_path / "one", 'agent = "one"')
    write(tmp_path / "two", 'agent = "two"')
    assert load_settings({"data": tmp_path / "two"}, {"EBBTIDE_DATA": str(tmp_path / "one")}).agent == "two"


def test_every_setting_can_stand_in_the_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        'agent = "ada"\nmetabolism = "score"\ndurability = "full"\nopen_minds = 3\nbatch_size = 50\n'
        "batch_pause = 0.5\n[params]\ntrash_days = 60\n",
    )
    assert load_settings({"data": str(tmp_path)}, {}) == Settings(
        data=tmp_path,
        agent="ada",
        metabolism="score",
        params={"trash_days": 60},
        durability="full",
        open_minds=3,
        batch_size=50,
        batch_pause=0.5,
    )


def test_numbers_may_come_from_the_environment(tmp_path: Path) -> None:
    environ = {"EBBTIDE_OPEN_MINDS": "3", "EBBTIDE_BATCH_SIZE": "50", "EBBTIDE_BATCH_PAUSE": "0.5"}
    settings = load_settings({"data": tmp_path}, environ)
    assert (settings.open_minds, settings.batch_size, settings.batch_pause) == (3, 50, 0.5)


def test_an_embedder_may_come_from_the_file_and_its_key_from_the_environment(tmp_path: Path) -> None:
    write(tmp_path, 'embedder = "openai"\nembedder_url = "http://h/v1"\nembedder_name = "bge"\n')
    environ = {
        "EBBTIDE_EMBEDDER_KEY": "sk-secret",
        "EBBTIDE_EMBEDDER_TIMEOUT": "5",
        "EBBTIDE_EMBEDDER_DIMENSIONS": "64",
    }
    settings = load_settings({"data": tmp_path}, environ)
    assert (settings.embedder, settings.embedder_url, settings.embedder_name) == ("openai", "http://h/v1", "bge")
    assert (settings.embedder_timeout, settings.embedder_dimensions) == (5.0, 64)
    assert settings.embedder_key == "sk-secret"
    assert "sk-secret" not in repr(settings)


def test_what_is_empty_or_not_ours_in_the_environment_counts_as_not_set(tmp_path: Path) -> None:
    environ = {"EBBTIDE_AGENT": "", "EBBTIDE_DATA": "", "EBBTIDE_COLOUR": "blue"}
    assert load_settings({"data": tmp_path}, environ) == Settings(data=tmp_path)


def test_none_is_not_a_word(tmp_path: Path) -> None:
    assert load_settings({"data": tmp_path, "agent": None}, {"EBBTIDE_AGENT": "ada"}).agent == "ada"


def test_a_tilde_is_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings({"data": "~/minds"}, {}).data == tmp_path / "minds"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour = 1", "unknown setting 'colour': there are agent, archive,"),
        ("data = '/elsewhere'", "unknown setting 'data'"),
        ("agent = ", "cannot be read: "),
        ("durability = 'half'", "durability = 'half' is not usable: it must be normal or full"),
        ("open_minds = 0", "open_minds = 0 is not usable: it must be a whole number, at least 1"),
        ("open_minds = 1.5", "open_minds = 1.5 is not usable"),
        ("open_minds = inf", "open_minds = inf is not usable"),
        ("open_minds = true", "open_minds = True is not usable"),
        ("port = 70000", "port = 70000 is not usable: it must be a whole number from 0 to 65535"),
        ("require_keys = 'maybe'", "require_keys = 'maybe' is not usable: it must be true or false"),
        ("log_format = 'xml'", "log_format = 'xml' is not usable: it must be text or json"),
        ("batch_size = -5", "batch_size = -5 is not usable"),
        ("batch_size = 'few'", "batch_size = 'few' is not usable"),
        ("batch_pause = -1", "batch_pause = -1 is not usable: it must be from 0 to 3600 seconds"),
        ("batch_pause = nan", "batch_pause = nan is not usable"),
        ("batch_pause = []", "batch_pause = [] is not usable"),
        ("embedder = 'best'", "embedder = 'best' is not usable: it must be builtin, static, openai or none"),
        ("embedder_timeout = -1", "embedder_timeout = -1 is not usable: it must be from 0 to 3600 seconds"),
        ("embedder_dimensions = -1", "embedder_dimensions = -1 is not usable: it must be a whole number from 0"),
        ("embedder_dimensions = 1.5", "embedder_dimensions = 1.5 is not usable"),
        ("embedder_dimensions = true", "embedder_dimensions = True is not usable"),
        ("embedder_dimensions = 65537", "embedder_dimensions = 65537 is not usable"),
        ("params = 5", "params = 5 is not usable: it must be a table of parameters"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_names_it(tmp_path: Path, text: str, complaint: str) -> None:
    write(tmp_path, text)
    with pytest.raises(InvalidInput) as refused:
        load_settings({"data": tmp_path}, {})
    assert complaint in str(refused.value)


def test_a_file_that_is_not_utf8_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"agent = '\xff'")
    with pytest.raises(InvalidInput, match=rf"{FILE} cannot be read: "):
        load_settings({"data": tmp_path}, {})


def test_a_folder_in_the_files_place_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(InvalidInput, match=rf"{FILE} cannot be read: Is a directory"):
        load_settings({"data": tmp_path}, {})


def test_an_empty_data_folder_is_not_the_default_one() -> None:
    with pytest.raises(InvalidInput, match="the data folder is ''"):
        load_settings({"data": ""}, {})


@pytest.mark.parametrize("data", ["folder\0", "x" * 5000])
def test_a_folder_no_disk_could_hold_is_refused(data: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_settings({"data": data}, {})


def test_a_file_is_no_data_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for data in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InvalidInput, match="is not a folder"):
            load_settings({"data": data}, {})


def test_nobodys_home_is_an_error_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert load_settings({"data": tmp_path}, {}).data == tmp_path
    with pytest.raises(InvalidInput, match="no home folder to find the minds in: name a folder with --data"):
        load_settings({}, {})
    with pytest.raises(InvalidInput, match="no home folder"):
        load_settings({"data": "~nobody-of-this-name/minds"}, {})
