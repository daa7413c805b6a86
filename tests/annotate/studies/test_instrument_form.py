"""The form of an instrument: no JSON, and nothing of a definition is lost in it."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.common.schemas import Problem
from annotate.instruments.language_quality.instrument import DEFINITION as LANGUAGE_QUALITY
from annotate.instruments.rating.instrument import READY, as_data, read_definition
from annotate.models import InstrumentDefinition
from annotate.studies import definitions
from annotate.studies import forms as studies_forms
from tests.annotate.own import HELPFUL, KINDS, every_kind, helpful, marked, side_by_side
from tests.annotate.researcher import owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAGE = "/instruments/form/"
WORDED = {
    "edit": {"title": "Mend it", "needed": "It needs mending."},
    "example": {"text": "One.\n\n  Two.", "input": "Why?", "paragraphs": ["A", "B\nC"]},
    "label": "<b>A & \"B\"</b> 'c' 😀",
    "steps": ["Read.", "<i>Rate</i>."],
}


def unusual() -> dict[str, Any]:
    """A definition with everything that one may have."""
    whole = marked(**WORDED)
    whole["criteria"][0] |= {"balance": 0.125, "person_share": 0.0}
    whole["instructions"].append({"text": "No title."})
    return whole


def conditional() -> dict[str, Any]:
    """A definition with own severities, and a question that is asked after some answers only."""
    own = [{"name": "bad", "label": "Bad", "weight": 2.5}]
    errors, helpful, _why, _flaws, slider, _remark = KINDS["criteria"]
    late = slider | {"only_if": {"question": "helpful", "values": [0, 1], "hidden": 0.0}}
    return every_kind(criteria=[errors | {"severities": own, "per": "text"}, helpful, late])


class Fields(HTMLParser):
    """What a browser sends of the form of an instrument."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.sent = QueryDict(mutable=True)
        self.area, self.chosen, self.is_inside = "", "", False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        name, value = own.get("name") or "", own.get("value")
        if own.get("id") == "instrument-form":
            self.is_inside = True
        if not self.is_inside or not (name or tag == "option") or name == "csrfmiddlewaretoken":
            return
        if tag == "textarea":
            self.area, self.words = name, ""
        elif tag == "select":
            self.chosen = name
        elif tag == "option" and "selected" in own:
            self.sent.appendlist(self.chosen, value or "")
        elif tag == "input" and (own.get("type") != "checkbox" or "checked" in own):
            self.sent.appendlist(name, "on" if value is None else value)

    def handle_data(self, data: str) -> None:
        if self.area:
            self.words += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_inside = False
        if tag == "textarea" and self.area:
            lines = self.words.removeprefix("\n").replace("\n", "\r\n")
            self.sent.appendlist(self.area, lines)
            self.area = ""


def drawn(content: Any) -> QueryDict:
    """Return what a browser sends of the page that shows this definition."""
    context = {
        "boxes": studies_forms.form_fields(content, []),
        "most": studies_forms.MOST,
        "usual_edit": {},
    }
    return Fields(render_to_string("instruments/form.html", context)).sent


def posted(client: Client, given: QueryDict, act: str = "save", **more: Any) -> Any:
    return client.post(PAGE, dict(given.lists()) | {"act": act}, **more)


def sent(page: Any) -> QueryDict:
    return Fields(page.content.decode()).sent


@pytest.mark.parametrize(
    "definition",
    [
        HELPFUL,
        marked(),
        unusual(),
        as_data(LANGUAGE_QUALITY),
        side_by_side(),
        every_kind(),
        conditional(),
    ],
    ids=["helpful", "marked", "unusual", "language quality", "side by side", "kinds", "only if"],
)
def test_the_form_carries_all_of_a_definition(definition: Any) -> None:
    whole = as_data(read_definition(definition))
    assert studies_forms.content_of(drawn(whole)) == whole


def test_an_unchanged_form_makes_no_second_version(ada: Client) -> None:
    definitions.define(unusual(), owner_id=owner_of(ada).pk)
    given = sent(ada.get(PAGE, {"from": "marked"}))
    assert posted(ada, given)["Location"] == "/instruments/"
    assert InstrumentDefinition.objects.count() == 1
    given["task"] = "Another task."
    page = posted(ada, given, follow=True)
    assert "version 2, is defined" in page.content.decode()


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(
    lambda text: text.strip() == text
)


@settings(max_examples=40)
@given(label=WORDS, cue=WORDS, lines=st.lists(WORDS, max_size=3), value=st.integers(-100, 100))
def test_no_character_is_lost(label: str, cue: str, lines: list[str], value: int) -> None:
    whole = unusual()
    whole["criteria"][0]["levels"][0] |= {"label": label, "cue": cue, "value": value}
    whole["instructions"][0]["text"] = "\n\n".join([*lines, "End."])
    whole["example"]["text"] = "\n".join([label, *lines])
    assert studies_forms.content_of(drawn(whole)) == whole


@pytest.mark.parametrize("reference", READY)
def test_a_ready_made_instrument_opens_in_the_form_and_is_defined(
    ada: Client, reference: str
) -> None:
    assert f"?from={reference}" in ada.get("/instruments/").content.decode()
    given = sent(ada.get(PAGE, {"from": reference}))
    assert studies_forms.content_of(given) == READY[reference]
    assert posted(ada, given)["Location"] == "/instruments/"
    assert InstrumentDefinition.objects.get().key == READY[reference]["key"]


def test_key_and_names_are_made_of_the_words(ada: Client) -> None:
    given = drawn(helpful(key=""))
    given["label"] = "How much help?"
    given["c0-name"] = given["c1-name"] = ""
    given["c1-label"] = "Правда"
    content = studies_forms.content_of(given)
    assert content["key"] == "how_much_help"
    assert [one["name"] for one in content["criteria"]] == ["help", "question_2"]


def test_names_of_options_are_made_of_their_labels(ada: Client) -> None:
    given = drawn(every_kind())
    given["c3-o0-name"] = given["c3-o1-name"] = ""
    given["c3-o1-label"] = "Правда"
    options = studies_forms.content_of(given)["criteria"][3]["options"]
    assert [one["name"] for one in options] == ["rude", "number_2"]


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_lost(ada: Client) -> None:
    given = drawn(HELPFUL)
    given["task"], given["c1-l0-cue"], given["c0-l4-value"] = "", " ", "two"
    given["s0-text"] = "<script>"
    page = posted(ada, given)
    text = page.content.decode()
    assert page.status_code == 422
    for anchor, where in [
        ("task", "Task"),
        ("c1-l0-cue", "Question 2, level 1, when to choose it"),
        ("c0-l4-value", "Question 1, level 5, value"),
    ]:
        assert f'<a href="#{anchor}">{where}</a>' in text
        assert f'id="{anchor}"' in text
    assert sent(page).dict() == given.dict()
    assert "<script>" not in text.split("</head>")[1]
    assert not InstrumentDefinition.objects.exists()


def test_somebody_elses_key_is_told_apart_from_a_mistake(ada: Client) -> None:
    definitions.define(HELPFUL, owner_id=user("bea").pk)
    page = posted(ada, drawn(HELPFUL))
    assert page.status_code == 409
    assert '<a href="#key">Key</a>: “helpfulness” belongs to another user.' in page.content.decode()


@pytest.mark.parametrize(
    ("act", "change"),
    [
        ("add_choice:criteria", lambda c: len(c["criteria"]) == 3),
        ("add_slider:criteria", lambda c: c["criteria"][2]["kind"] == "slider"),
        (
            "add:criteria:1:levels",
            lambda c: [x["value"] for x in c["criteria"][1]["levels"]] == [0, 1, 2],
        ),
        ("add:criteria:0:levels", lambda c: c["criteria"][0]["levels"][-1]["value"] == -3),
        (
            "remove:criteria:0:levels:1",
            lambda c: [x["value"] for x in c["criteria"][0]["levels"]][1] == 0,
        ),
        (
            "up:criteria:0:levels:1",
            lambda c: [x["value"] for x in c["criteria"][0]["levels"]][:2] == [1, 2],
        ),
        ("remove:criteria:0", lambda c: [x["name"] for x in c["criteria"]] == ["invented"]),
        ("up:criteria:1", lambda c: [x["name"] for x in c["criteria"]] == ["invented", "helpful"]),
        (
            "down:criteria:0",
            lambda c: [x["name"] for x in c["criteria"]] == ["invented", "helpful"],
        ),
        (
            "down:criteria:1",
            lambda c: [x["name"] for x in c["criteria"]] == ["helpful", "invented"],
        ),
        ("remove:instructions:0", lambda c: "instructions" not in c),
        *(
            (act, lambda c: c == HELPFUL)
            for act in (
                *("add:criteria:9:levels", "remove:criteria:0:levels:9", "up:criteria:9"),
                *("remove:instructions:4", "fly", "add", "", "add:key", "add_fly:criteria"),
                *("up:criteria", "add:criteria:0:label", "remove:criteria:x", "up::0", "::::"),
                *("add_slider:instructions", "remove:example:0", "undo:criteria:0"),
            )
        ),
    ],
)
def test_parts_are_added_removed_and_moved(ada: Client, act: str, change: Any) -> None:
    page = posted(ada, drawn(HELPFUL), act)
    assert page.status_code == 200
    assert change(studies_forms.without_removed(studies_forms.content_of(sent(page))))
    assert not InstrumentDefinition.objects.exists()


@pytest.mark.parametrize("path", ["criteria:1", "criteria:0:levels:2", "instructions:0"])
def test_what_was_removed_is_put_back(ada: Client, path: str) -> None:
    removed = sent(posted(ada, drawn(HELPFUL), f"remove:{path}"))
    assert studies_forms.without_removed(studies_forms.content_of(removed)) != HELPFUL
    assert "is removed" in posted(ada, removed, "add_choice:criteria").content.decode()
    again = sent(posted(ada, removed, f"undo:{path}"))
    assert studies_forms.content_of(again) == HELPFUL


def test_what_was_removed_is_not_defined(ada: Client) -> None:
    assert posted(ada, sent(posted(ada, drawn(HELPFUL), "remove:criteria:1"))).status_code == 302
    (criterion,) = InstrumentDefinition.objects.get().definition["criteria"]
    assert criterion["name"] == "helpful"


def test_an_added_part_has_the_focus(ada: Client) -> None:
    page = posted(ada, drawn(HELPFUL), "add:instructions")
    assert 'id="s1-title" name="s1-title" value="" maxlength="200"' in page.content.decode()
    assert page.content.decode().count(" autofocus") == 1


def test_the_preview_stores_nothing(ada: Client) -> None:
    page = posted(ada, drawn(HELPFUL), "preview")
    assert page.status_code == 200
    assert "How far does the answer get the person who asked?" in page.content.decode()
    assert ada.post(PAGE, {"act": "preview"}).status_code == 422
    assert not InstrumentDefinition.objects.exists()


@pytest.mark.parametrize(
    ("path", "anchor"),
    [
        ("criteria[0].levels[1].cue", "c0-l1-cue"),
        ("criteria[0].levels", "c0-levels"),
        ("criteria[2]", "c2"),
        ("instructions[1].examples[0].text", "s1-examples"),
        ("steps[3]", "steps"),
        ("edit.needed", "edit-needed"),
        ("example", "example-text"),
        ("", "label"),
    ],
)
def test_each_problem_has_a_field(path: str, anchor: str) -> None:
    assert studies_forms.anchor(path) == anchor
    assert studies_forms.placed([Problem(path, "Is wrong.")])[0][1]
