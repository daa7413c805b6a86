"""Where gold items come from: a researcher's file, planted defects, and instructions."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import override
from pydantic import Field

from annotate.errors import Conflict, Invalid
from annotate.instruments import pairs
from annotate.instruments.answers import Question
from annotate.instruments.base import Instrument
from annotate.models import Campaign, GoldItem, Item
from annotate.schemas import Declared, Exact, Several, Text, parse, read
from annotate.selectors.studies import instruments
from annotate.services.campaigns import gold
from annotate.services.campaigns.gold import MOST_ITEMS, NewGold
from annotate.text import planting
from annotate.text.languages import interface_language

MOST_AT_ONCE = 100
SCANNED = 2000  # references among which clean texts are drawn


LONGEST = 100_000  # characters of a text
Shown = Annotated[Exact, Field(max_length=LONGEST)]
Right = Annotated[Several[float | int], Field(max_length=100)]  # values of a question


class GoldRow(Declared):
    """One gold item of a file: its name, what people see, and the right answers.

    second: of a comparison, the text beside `output`; positive answers prefer `output`.
    """

    item: Annotated[Text, Field(max_length=200)]
    output: Shown
    second: Shown = ""
    expected: Annotated[dict[Annotated[str, Field(max_length=100)], Right], Field(max_length=200)]
    input: Shown = ""
    paragraphs: Annotated[Several[Shown], Field(max_length=200)] = ()


class GoldFile(Declared):
    gold: Annotated[Several[GoldRow], Field(max_length=MOST_ITEMS)]


def from_file(text: str | bytes) -> list[NewGold]:
    """Return the items of a file: JSON with a list “gold”, or the list itself.

    Raises `Refused` with every problem by its path.
    """
    given = parse(text)
    return from_data({"gold": given} if isinstance(given, list) else given)


def from_data(given: Any) -> list[NewGold]:
    """Return the items of parsed JSON, as `from_file` does."""
    rows = read(GoldFile, given).gold
    return [
        NewGold(
            one.item,
            pairs.joined(one.output, one.second) if one.second else one.output,
            {name: list(values) for name, values in one.expected.items()},
            one.input,
            one.paragraphs,
        )
        for one in rows
    ]


def plant(
    campaign_id: int, *, defect: str, criteria: Sequence[str], most: int, actor_id: int | None
) -> list[GoldItem]:
    """Plant a defect in clean references of the campaign; a person confirms them before use.

    criteria: the questions whose best level is wrong about a text with this defect. In a
        comparison, the text with the defect stands beside the clean one, which is better.
    Raises `Conflict` where no reference offers what the defect needs.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    instrument = instruments.of(campaign)
    expected = _not_best(instrument, criteria)
    if defect not in planting.DEFECTS:
        raise Invalid({"defect": f"A defect is one of {', '.join(planting.DEFECTS)}."})
    if not 0 < most <= MOST_AT_ONCE:
        raise Invalid({"most": f"Plant 1 to {MOST_AT_ONCE} at once."})
    used = set(campaign.gold.filter(defect=defect).values_list("clean_text", flat=True))
    given = _references(campaign)
    texts = [text for text in given if text not in used]
    made = planting.plant(defect, texts, seed=campaign.seed, most=most)
    if not made:
        raise Conflict(
            "No reference of this campaign is left that is long enough for this defect. Upload "
            "a file of gold items instead."
        )
    first = campaign.gold.count() + 1
    new = [
        NewGold(
            f"{defect}-{number}",
            pairs.joined(clean, text) if instrument.compares else text,
            expected,
            given[clean],
            kind=GoldItem.Kind.PLANTED,
            defect=defect,
            clean_text=clean,
        )
        for number, (clean, text) in enumerate(made, start=first)
    ]
    return gold.add(campaign_id, new, actor_id=actor_id)


def instruct(campaign_id: int, *, question: str, value: float, actor_id: int | None) -> GoldItem:
    """Add an item that asks people, in a reference's place, for one certain answer."""
    campaign = Campaign.objects.get(pk=campaign_id)
    asked = instructable(instruments.of(campaign)).get(question)
    if asked is None or value not in dict(asked.levels):
        raise Invalid({"question": "Choose a question, and one of its answers."})
    given = _references(campaign)
    first, context = next(iter(given.items()), ("", ""))
    with override(interface_language(campaign.language)):
        told = _(
            "This text checks whether it is read. For “%(question)s”, please choose “%(answer)s”."
        ) % {"question": asked.label, "answer": asked.said(value)}
    name = f"instruction-{campaign.gold.count() + 1}"
    new = NewGold(
        name,
        f"{first} {told}".strip(),
        {question: [value]},
        context,
        kind=GoldItem.Kind.INSTRUCTION,
    )
    return gold.add(campaign_id, [new], actor_id=actor_id)[0]


def plantable(instrument: Instrument) -> Mapping[str, Question]:
    """Return the questions about which a defect can be planted: those about the text itself."""
    return {} if instrument.needs_paragraphs else questions(instrument)


def instructable(instrument: Instrument) -> Mapping[str, Question]:
    """Return the questions to which a text can ask for an answer: it has no place in a pair."""
    return {} if instrument.compares else questions(instrument)


def questions(instrument: Instrument) -> dict[str, Question]:
    """Return the questions about the whole text, by name."""
    return {one.name: one for one in instrument.questions() if not one.of_paragraphs}


def _not_best(instrument: Instrument, names: Sequence[str]) -> dict[str, list[float]]:
    asked = plantable(instrument)
    if not names or any(name not in asked for name in names):
        known = ", ".join(asked) or "none of this instrument"
        raise Invalid({"criteria": f"Choose at least one question: {known}."})
    better = {one.name: one.higher_is_better for one in instrument.criteria}
    found: dict[str, list[float]] = {}
    for name in names:
        values = sorted(value for value, _label in asked[name].levels)
        if instrument.compares:
            found[name] = [value for value in values if value > 0]
            continue
        found[name] = values[:-1] if better.get(name, True) else values[1:]
    return found


def _references(campaign: Campaign) -> dict[str, Any]:
    """Return clean texts with the inputs they belong to."""
    rows = Item.objects.filter(campaign=campaign).exclude(reference="").order_by("position")
    return dict(rows.values_list("reference", "input")[:SCANNED])
