"""Which metrics a new campaign proposes: those that can help with this file."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import imports, plans
from annotate.campaigns.problems import Row
from annotate.campaigns.sheet import Sheet
from annotate.models import CampaignImport
from tests.annotate.researcher import PLAN, at, begun, lines, looked_at, send

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def with_numbers(*, repeats: bool = False) -> bytes:
    """Return a file with a metric that varies, and one and a column that do not."""
    rows = [
        json.loads(line)
        | {"judge": i / 7, "year": 2026, "metrics": {"bar": 0.5}}
        | ({"output": "so so so"} if repeats and i == 3 else {})
        for i, line in enumerate(lines().splitlines())
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def ticked(client: Client, content: bytes, **fields: Any) -> tuple[str, list[str], list[str]]:
    form = client.get(at(begun(client, content, **fields), "questions")).context["form"]
    names = ("metric_choice", "metric_columns", "metric_names")
    return tuple(form[name].value() for name in names)  # type: ignore[return-value]


def test_the_files_own_numbers_are_proposed_before_the_recommended_metric(ada: Client) -> None:
    assert ticked(ada, with_numbers(repeats=True)) == ("named", ["judge"], ["repetition"])


def test_what_is_the_same_for_every_output_is_not_proposed_and_the_page_says_so(
    ada: Client,
) -> None:
    of = begun(ada, with_numbers())
    page = ada.get(at(of, "questions"))
    form = page.context["form"]
    assert (form["metric_columns"].value(), form["metric_names"].value()) == (["judge"], [])
    assert form.own_metrics == ["judge", "bar", "year"], "what cannot help stands last"
    assert (
        "“repetition”, “bar”, “year” have the same value for every output of the file, so they "
        "cannot save judgments."
    ) in page.content.decode()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (lambda row, item, system: 3 + row, "numbers the rows of the file"),
        (lambda row, item, system: item, "numbers the items of the file"),
        (
            lambda row, item, system: 1.5 * system,
            "has the same value for all outputs of each system",
        ),
        (lambda row, item, system: 0.5, "has the same value for every output of the file"),
        (lambda row, item, system: 2 * row, ""),
        (lambda row, item, system: -row, ""),
        (lambda row, item, system: row if row < 15 else 0, ""),
        (lambda row, item, system: system if row < 15 else 9, ""),
    ],
)
@pytest.mark.parametrize("by_system", [False, True])
def test_a_number_that_says_nothing_of_the_outputs_is_not_proposed(
    value: Callable[[int, int, int], float], why: str, by_system: bool
) -> None:
    pairs = [(i, s) for i in range(8) for s in range(2)]
    pairs = sorted(pairs, key=lambda pair: pair[1]) if by_system else pairs
    with Sheet() as sheet:
        for row, (item, system) in enumerate(pairs):
            given = {"nr": float(value(row, item, system))}
            sheet.add(Row(f"i{item}", f"s{system}", f"{row}", line=row + 1), loose=given)
        facts = sheet.facts()
    told = plans.useless(["nr"], facts)
    assert [one.split(",")[0] for one in told] == ([f"“nr” {why}"] if why else [])
    assert plans.preselected((), facts) == (() if why else ("nr",))


def test_a_number_with_several_values_for_one_text_is_averaged_and_that_is_said() -> None:
    rows = [("0", "a", "same", 1.0), ("0", "b", "same", 2.0), ("0", "c", "other", 3.0)]
    rows += [("1", "a", "same", 5.0), ("1", "b", "same", 5.0), ("1", "c", "same", 5.0)]
    with Sheet() as sheet:
        for line, (item, system, text, value) in enumerate(rows):
            sheet.add(Row(item, system, text, line=line + 1), loose={"judge": value})
        facts = sheet.facts()
    told = plans.averaged(["judge", "repetition"], facts)
    assert told == [
        "“judge” has different values for 1 text that several systems wrote for an item. "
        "Their mean is used."
    ]
    assert told[0] in plans.offers(["judge"], facts)
    assert plans.averaged([], facts) == []


def test_the_part_with_the_metrics_waits_for_the_file(ada: Client) -> None:
    send(ada, with_numbers(repeats=True))
    of = CampaignImport.objects.get()
    address = at(of, "questions")
    before = ada.get(address).content.decode()
    assert 'hx-select="#metrics"' in before
    assert "Its numbers appear here then" in before
    assert ada.get(address, HTTP_HX_REQUEST="true").status_code == 204
    imports.run_due()
    after = ada.get(address, HTTP_HX_REQUEST="true").content.decode()
    assert 'hx-select="#metrics"' not in after
    assert 'value="judge"' in after


def test_the_plan_says_which_numbers_are_not_used_and_where_to_choose_them(ada: Client) -> None:
    of = begun(ada, with_numbers(repeats=True))
    ada.post(at(of, "questions"), {**PLAN, "revision": of.revision})
    answer = ada.post(reverse("annotate:import-takes", args=[of.public_id]), PLAN)
    assert answer.context["preview"].offers == ("judge",), "constants could not help"
    told = " ".join(answer.content.decode().split())
    assert "numbers that are not used as a metric: <b>judge</b>. To use it, go back to" in told
    assert f"{at(of, 'questions')}#metrics" in told


def test_a_chosen_metric_that_cannot_help_is_told_in_the_preview(ada: Client) -> None:
    page = looked_at(ada, with_numbers(), metric_columns=["year", "judge"])
    assert any(
        one.startswith("“repetition”, “year” have the same value for every output of the file, so ")
        for one in page.context["preview"].notices
    )
    of = CampaignImport.objects.get()
    told = plans.offers(imports.asked_of(of).metrics, imports.facts_of(of))
    assert not any("not used" in one for one in told), "all others would save nothing"


def test_a_column_with_one_cell_that_is_no_number_says_where(ada: Client) -> None:
    table = "item,system,output,judge,gap,note\n1,a,x x,0.5,1,n\n2,a,y,0.7x,,3\n3,a,z,0.9,2,n\n"
    of = begun(ada, table.encode())
    told = [
        "“judge” cannot be a metric: on line 3 it is no number (“0.7x”).",
        "“gap” cannot be a metric: 1 output has no value, such as that on line 3.",
    ]
    page = ada.get(at(of, "questions"))
    assert page.context["form"].not_proposed[-2:] == told
    assert told[0] in page.content.decode()
    assert page.context["form"].own_metrics == []
    assert imports.notices_of(of) == ["Not used: “note”.", *told], "a note may be a number, too"


def test_a_file_without_our_names_is_told_that_columns_can_be_named(ada: Client) -> None:
    def page(content: bytes) -> str:
        address = reverse("annotate:import", args=[begun(ada, content).public_id])
        return ada.get(address).content.decode()

    assert "Say which column is which" in page(b"nr,model,text\n1,a,x\n")
    assert "Say which column is which" not in page(b"item,system,output\n1,a,x\n1,a,y\n")
