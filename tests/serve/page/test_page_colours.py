"""What is written can be read: every colour of words on every ground it stands on, by day and by night, 4.5 to 1."""

import re
from pathlib import Path

import pytest

import ebbtide.serve.page
from ebbtide.serve.page.picture import FAINTEST

Colour = tuple[float, ...]
ENOUGH = 4.5  # WCAG AA for text of ordinary size
WORDS = ("ink", "soft", "faint", "tide", "good", "bad")
STATES = ("active", "cold", "deprecated", "expired", "fading", "vanishing")
CHIPS = (*STATES, "tide", "bad", "soft")
STYLES = (Path(ebbtide.serve.page.__file__).parent / "assets" / "page.css").read_text()


def tokens(selector: str) -> dict[str, Colour]:
    block = re.search(re.escape(selector) + r" \{(.*?)\}", STYLES, re.DOTALL)
    assert block is not None
    found = re.findall(r"--([a-z-]+): #([0-9a-f]{6})", block[1])
    return {name: tuple(int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)) for name, digits in found}


def contrast(one: Colour, other: Colour) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: Colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(colour: Colour, ground: Colour, share: float) -> Colour:
    return tuple(share * one + (1.0 - share) * other for one, other in zip(colour, ground, strict=True))


def test_contrast_is_reckoned_as_the_guidelines_do() -> None:
    assert contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) == pytest.approx(21.0)
    assert contrast((1.0, 1.0, 1.0), (0x77 / 255,) * 3) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", [":root", "html.dark"])
def test_words_can_be_read_on_every_ground(theme: str) -> None:
    has = tokens(theme)
    pairs = [(word, ground) for word in WORDS for ground in ("card", "ground")]
    pairs += [(word, "hover") for word in ("ink", "soft", "faint")]
    pairs += [("on-tide", "tide"), ("tide", "tide-soft"), *((state, "card") for state in STATES)]
    poor = {pair: contrast(has[pair[0]], has[pair[1]]) for pair in pairs}
    assert not {pair: round(found, 2) for pair, found in poor.items() if found < ENOUGH}


@pytest.mark.parametrize("theme", [":root", "html.dark"])
def test_chips_can_be_read(theme: str) -> None:
    has = tokens(theme)
    shares = [int(share) / 100 for share in re.findall(r"background: color-mix\(in srgb, var\(--of\) (\d+)%", STYLES)]
    assert len(shares) == 2  # as it is, and under the mouse
    found = {
        (name, ground, share): contrast(has[name], mixed(has[name], has[ground], share))
        for name in CHIPS
        for ground in ("card", "ground")
        for share in shares
    }
    assert not {place: round(value, 2) for place, value in found.items() if value < ENOUGH}


@pytest.mark.parametrize("theme", [":root", "html.dark"])
def test_the_faintest_label_of_the_network_can_be_read(theme: str) -> None:
    has = tokens(theme)
    assert contrast(mixed(has["ink"], has["ground"], FAINTEST), has["ground"]) >= ENOUGH
