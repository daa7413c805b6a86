"""Where gold items come from: a researcher's file, and instructions."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import override
from pydantic import Field

from annotate.errors import Invalid
from annotate.instruments import pairs
from annotate.instruments.answers import Question
from annotate.instruments.base import Instrument
from annotate.models import Campaign, GoldItem, Item
from annotate.schemas import Declared, Exact, Several, Text, parse, read
from annotate.selectors.studies import instruments
from annotate.services.campaigns import gold
from annotate.services.campaigns.gold import MOST_ITEMS, NewGold
from annotate.text.languages import interface_language

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


def instruct(campaign_id: int, *, question: str, value: float, actor_id: int | None) -> GoldItem:
    """Add an item that asks people, in a reference's place, for one certain answer."""
    campaign = Campaign.objects.get(pk=campaign_id)
    asked = instructable(instruments.of(campaign)).get(question)
    if asked is None or value not in dict(asked.levels):
        raise Invalid({"question": "Choose a question, and one of its answers."})
    first, context = (
        Item.objects.filter(campaign=campaign)
        .exclude(reference="")
        .order_by("position")
        .values_list("reference", "input")
        .first()
    ) or ("", "")
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


def instructable(instrument: Instrument) -> Mapping[str, Question]:
    """Return the questions to which a text can ask for an answer: it has no place in a pair."""
    if instrument.compares:
        return {}
    return {one.name: one for one in instrument.questions() if not one.of_paragraphs}
