"""The form of texts: proposed from the file, chosen in a plan, and what follows from it."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import creating, exports, facts, imports, plans
from annotate.campaigns.problems import Row
from annotate.campaigns.sheet import Sheet
from annotate.common import content
from annotate.common.errors import Invalid
from annotate.models import Campaign, Item, Output
from annotate.review import evidence
from annotate.review import queries as review_queries
from estimation import refresh
from estimation.models import MetricScore
from tests.annotate.campaigns.test_create_campaign import lines, row, run
from tests.annotate.researcher import PLAN, at, begun, created
from tests.factories import campaign, judge, person, plan, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

MARKED = "**Three** words here, see [this](https://example.org/a-long-address)"
CHAT = json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "**Yes**."}])


def written(text: str, **more: Any) -> list[Row]:
    return [replace(row, output=f"{text} {row.system}", **more) for row in rows()]


def test_the_file_decides_where_the_plan_leaves_it_open() -> None:
    made = campaign(rows_=written(MARKED, input="Plain question?"))
    assert (made.output_form, made.input_form, made.shows_input) == ("markdown", "plain", False)
    chosen = campaign(rows_=written(MARKED), output_form="plain", shows_input=True)
    assert (chosen.output_form, chosen.shows_input) == ("plain", True)
    chats = campaign(rows_=[replace(row, input=CHAT) for row in rows()])
    assert (chats.output_form, chats.input_form) == ("plain", "chat")


@pytest.mark.parametrize(("given", "shown"), [("", False), ("What for?", True)])
def test_comparisons_show_the_input_that_there_is(given: str, shown: bool) -> None:
    made = campaign(
        instrument="preference",
        targets={"preference": 0.4},
        metrics=(),
        rows_=[replace(row, input=given) for row in rows()],
    )
    assert made.shows_input is shown


@pytest.mark.parametrize("change", [{"output_form": "html"}, {"input_form": "last_turn"}])
def test_an_unknown_form_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refused:
        creating.create(plan(**change), rows(), owner_id=None)
    assert list(refused.value.errors) == list(change)


def test_words_and_metrics_are_those_that_people_see() -> None:
    made = campaign(rows_=written(MARKED, input="**Say** it."), input_form="markdown")
    plain = campaign(rows_=written(MARKED), output_form="plain")
    seen = Output.objects.filter(campaign=made).first()
    assert seen is not None
    assert seen.text.startswith("**Three**")
    assert Item.objects.filter(campaign=made)[0].words == 2
    assert not any("**" in one.text for one in facts.texts(made.pk))
    assert all("**" in one.text for one in facts.texts(plain.pk))
    (both,) = {text.input for text in facts.texts(made.pk, with_input=True)}
    assert both.split() == ["Say", "it."]
    others = [one for text in facts.texts(made.pk, with_others=True) for one in text.others]
    assert others
    assert not any("**" in one for one in others)


def test_metrics_are_computed_from_what_people_see() -> None:
    made = campaign(rows_=written(MARKED), metrics=("length",))
    refresh.refresh(made.pk)
    told = set(MetricScore.objects.filter(campaign=made).values_list("value", flat=True))
    assert told == {
        float(len(content.visible(f"{MARKED} {s}", "markdown").split())) for s in ("alpha", "beta")
    }


@pytest.mark.parametrize("shows_input", [False, True])
def test_the_time_to_read_counts_an_input_that_is_shown(shows_input: bool) -> None:
    made = campaign(
        rows_=[replace(row, input="one two three four") for row in rows()], shows_input=shows_input
    )
    judge(person(made))
    found = evidence.columns(made)
    assert found is not None
    text = Output.objects.get(judgments__isnull=False).words
    assert found.words.tolist() == [text + 4 * shows_input]


def test_an_export_has_what_people_saw_beside_what_was_written() -> None:
    made = campaign(rows_=written(f"# Head\n\n{MARKED}"))
    first = next(iter(exports.outputs(exports.moment(made.pk))))
    assert first["text"].startswith("# Head")
    assert first["visible"] == content.visible(first["text"], "markdown")
    assert [(one[2], one[3]) for one in first["blocks"]] == [(1, 1), (3, 3)]
    told = exports.protocol(made)
    assert (told["output_form"], told["input_form"], told["shows_input"]) == (
        *("markdown", "plain"),
        False,
    )
    plain = campaign()
    assert "visible" not in next(iter(exports.outputs(exports.moment(plain.pk))))


CHOSEN = {"output_form": "plain", "input_form": "markdown"}


def of_page(client: Client, rows: str, _folder: Path) -> None:
    created(
        client,
        rows.encode(),
        metric_names=[],
        metric_choice="none",
        shows_input="True",
        shows_reference="True",
        **CHOSEN,
    )


def of_command(_client: Client, rows: str, folder: Path) -> None:
    file = folder / "outputs.jsonl"
    file.write_text(rows)
    forms = ("--output-form", "plain", "--input-form", "markdown", "--shows-input")
    forms += ("--shows-reference",)
    run(file, "--target", "overall=0.2", *forms)


@pytest.mark.parametrize("way", [of_page, of_command])
def test_page_and_command_choose_alike(way: Any, ada: Client, tmp_path: Path) -> None:
    given = {"output": MARKED, "input": "Say it.", "reference": "Said."}
    way(ada, lines(*(row(str(i), **given) for i in range(3))), tmp_path)
    made = Campaign.objects.get()
    assert (made.output_form, made.input_form, made.shows_input) == ("plain", "markdown", True)
    assert made.shows_reference
    assert plans.plan_of(made).shows_reference


def test_the_preview_is_drawn_alike_and_says_what_is_not_shown(ada: Client) -> None:
    given = {"output": MARKED, "input": "_Say_ it.", "reference": "Said."}
    outputs = [row(str(i), system, **given) for i in range(3) for system in ("alpha", "beta")]
    of = begun(ada, lines(*outputs).encode())
    page = ada.get(reverse("annotate:import-item", args=[of.public_id, 1])).content.decode()
    assert "<strong>Three</strong>" in page
    assert "Not shown to annotators: the system, the input, the reference." in page
    of.refresh_from_db()
    fields = {**PLAN, "beyond": "1", "revision": of.revision, "shows_input": "True"}
    assert ada.post(at(of, "questions"), fields).status_code == 302
    page = ada.get(reverse("annotate:import-item", args=[of.public_id, 1])).content.decode()
    assert "_Say_ it." in page
    assert "Not shown to annotators: the system, the reference." in page
    assert "Said." not in page
    of.refresh_from_db()
    fields |= {"revision": of.revision, "shows_reference": "True"}
    assert ada.post(at(of, "questions"), fields).status_code == 302
    page = ada.get(reverse("annotate:import-item", args=[of.public_id, 1])).content.decode()
    assert "Said." in page
    assert "Not shown to annotators: the system." in page
    second = ada.get(reverse("annotate:import-item", args=[of.public_id, 2])).content.decode()
    assert "Said." in second, "its text is one of another system"


def test_a_reference_is_offered_where_the_file_has_some(ada: Client) -> None:
    for reference, offered in ("Said.", True), ("", False):
        of = begun(ada, lines(*(row(str(i), reference=reference) for i in range(3))).encode())
        assert (
            'name="shows_reference"' in ada.get(at(of, "questions")).content.decode()
        ) is offered
    fields = {**PLAN, "revision": of.revision, "shows_reference": "True"}
    assert ada.post(at(of, "questions"), fields).status_code == 302
    of.refresh_from_db()
    assert not imports.asked_of(of).shows_reference


def test_a_notice_says_what_the_file_suggests() -> None:
    with Sheet() as sheet:
        for one in written(MARKED):
            sheet.add(one)
        found = sheet.facts()
    (told,) = creating.form_notices(plan(), found)
    assert told.startswith("The outputs look like Markdown")
    assert not list(creating.form_notices(plan(output_form="markdown"), found))


@pytest.mark.parametrize("form", ["output_form", "input_form"])
def test_the_protocol_names_the_rule_of_visible_texts(form: str) -> None:
    made = campaign(rows_=written(MARKED), **{"output_form": "plain", form: "markdown"})
    assert made.protocol is not None
    assert made.protocol["visible_text"] == content.VERSION
    stored = facts.protocol_of(made)
    assert stored.as_data() == made.protocol
    told = json.dumps(made.protocol, sort_keys=True, separators=(",", ":"))
    assert stored.digest == hashlib.sha256(told.encode()).hexdigest()


def test_the_protocol_of_plain_texts_names_none() -> None:
    made = campaign(rows_=written("Plain words"))
    assert made.protocol is not None
    assert "visible_text" not in made.protocol
    assert facts.protocol_of(made).as_data() == made.protocol


def test_excerpts_are_what_readers_see(client: Client) -> None:
    """In the list of items, on an annotator's own page, and in the preview of a file."""
    owner = user()
    client.force_login(owner)
    made = campaign(owner=owner, rows_=written(MARKED, input=CHAT))
    assert (made.output_form, made.input_form) == ("markdown", "chat")
    who = person(made)
    judge(who)
    page = client.get(reverse("annotate:items", args=[made.public_id])).content.decode()
    assert "user: Hi assistant: Yes." in page
    (mine,) = review_queries.tasks(who.pk)
    assert mine.excerpt.startswith("Three words here, see this (https://example.org/")
    with Sheet() as sheet:
        for one in written(MARKED, input=CHAT):
            sheet.add(one)
        found = sheet.facts()
    assert found.first.input == "user: Hi assistant: Yes."
    assert found.systems[0].samples[0].output.startswith("Three words here")


@pytest.mark.slow
def test_a_page_of_slow_texts_is_drawn_in_part(client: Client) -> None:
    """Each takes a third of a second to draw; the page says which stay as they were written."""
    owner = user()
    client.force_login(owner)
    slow = "*a_" * 15_000
    texts = [Row("q-0", f"s{n}", f"{slow} {n}") for n in range(12)]
    made = campaign(owner=owner, rows_=texts, metrics=(), output_form="markdown")
    begun = process_time()
    page = client.get(reverse("annotate:item", args=[made.public_id, 1])).content.decode()
    assert process_time() - begun < 4
    assert 1 <= page.count("judged drawn") < 12
    late = page.count("because this page has too much to format")
    assert page.count("judged drawn") + late == 12
