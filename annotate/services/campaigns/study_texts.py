"""Checks and stores what annotators read of a new campaign, in its researcher's own words."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotate.models import Campaign, CampaignTexts
from annotate.selectors.studies import background
from annotate.selectors.studies.texts import StudyTexts
from annotate.text.visible import is_visible

# The limits of the database's columns.
LONGEST_TITLE, LONGEST_ABOUT, LONGEST_ADDRESS = 120, 600, 254
LONGEST = {"consent": 10_000, "ethics": 300, "instructions": 10_000, "background": 10_000}
LABELS = {
    "consent": "The consent text",
    "ethics": "The ethics approval",
    "instructions": "The instructions",
    "background": "The text of the background questions",
}


def public_word_problems(title: str, about: str) -> dict[str, str]:
    """Return what is wrong with the public title and sentence, by field name."""
    found = {}
    if len(title) > LONGEST_TITLE:
        found["public_title"] = f"The title has at most {LONGEST_TITLE} characters."
    if len(about) > LONGEST_ABOUT:
        found["public_about"] = f"The sentence has at most {LONGEST_ABOUT} characters."
    return found


def problems(texts: StudyTexts) -> dict[str, str]:
    """Return what is wrong with each text, by its name in a plan, such as `texts.consent`."""
    found = {}
    for name, text in asdict(texts).items():
        if len(text) > LONGEST[name]:
            found[f"texts.{name}"] = f"{LABELS[name]} has at most {LONGEST[name]:,} characters."
        elif "\0" in text:
            found[f"texts.{name}"] = f"{LABELS[name]} contains a NUL character."
    if wrong := background.problem(texts.background):
        found.setdefault("texts.background", wrong)
    return found


def store(campaign: Campaign, texts: StudyTexts) -> None:
    """Store the texts of a new campaign. One without a visible character is none."""
    own = {name: text.strip() for name, text in asdict(texts).items() if is_visible(text)}
    if own:
        CampaignTexts.objects.create(campaign=campaign, **own)


def read(given: Mapping[str, Any]) -> StudyTexts:
    """Return the texts among the values of a form or a command, by their names."""
    return StudyTexts(**{name: given.get(name) or "" for name in LONGEST})
