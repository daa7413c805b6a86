"""What stands behind the numbers: orders of items, metrics beside judgments, and the pages."""

import html
import re
from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.models import Campaign, Item, ItemOrder, Membership, Score
from annotate.models.base import ItemMeasure
from estimation import deferred, refresh
from estimation.models import CloserLook, CloserLookDue, MetricScore
from tests import remembered
from tests.estimation.reviewed import exclude, settle, take_turns
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def begun(ada: User) -> Campaign:
    """Two systems, 8 items, all judged twice by four people as far as they come: 24 judgments."""
    return remembered.again(_begun, ada)


def _begun(ada: User) -> Campaign:
    made = campaign(owner=ada, items=8, double_share=1.0, budget=900)
    for name in ("alpha", "beta"):  # the texts hold the first names
        made.systems.filter(name=name).update(name=f"{name.title()}-X")
    take_turns([person(made, f"p{i}") for i in range(4)], 24)
    return settle(made)


def read(client: Client, made: Campaign, page: str, *more: Any, query: str = "") -> str:
    answer = client.get(f"{reverse(page, args=[made.public_id, *more])}?{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def keys(client: Client, made: Campaign, query: str) -> list[str]:
    """Return the names of the listed items, in order."""
    page = read(client, made, "annotate:items", query=query)
    known = Item.objects.filter(campaign=made).values_list("key", flat=True)
    at = {key: page.find(f">{key}</a>") for key in known}
    return sorted((key for key in known if at[key] >= 0), key=lambda key: at[key])


def by_hand(made: Campaign, criterion: str) -> dict[str, list[list[float]]]:
    """Return the answers to each text of each item, read one by one."""
    texts: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for score in Score.of(made.pk).filter(criterion=criterion).select_related("judgment__output"):
        output = score.judgment.output
        if hasattr(score.judgment.assignment, "slot"):
            texts[output.item.key, output.pk].append(score.value)
    found: defaultdict[str, list[list[float]]] = defaultdict(list)
    for (key, _output), values in texts.items():
        found[key].append(values)
    return found


@pytest.mark.slow
def test_items_are_ordered_by_what_people_said(client: Client, ada: User) -> None:
    made = begun(ada)
    said, edits = by_hand(made, "overall"), by_hand(made, "edit")
    spread = {
        key: max(stdev(values) for values in texts if len(values) > 1)
        for key, texts in said.items()
        if any(len(values) > 1 for values in texts)
    }
    worst = {key: min(map(fmean, texts)) for key, texts in said.items()}
    edited = {key: max(map(fmean, texts)) for key, texts in edits.items()}
    disagreement = keys(client, made, "sort=disagreement")
    assert set(disagreement) == set(spread)
    assert [spread[key] for key in disagreement] == sorted(spread.values(), reverse=True)
    assert len(set(spread.values())) > 1
    assert [worst[key] for key in keys(client, made, "sort=worst")] == sorted(worst.values())
    most = keys(client, made, "sort=edited")
    assert [edited[key] for key in most] == pytest.approx(sorted(edited.values(), reverse=True))
    assert keys(client, made, "sort=-worst") == keys(client, made, "sort=worst")[::-1]
    page = read(client, made, "annotate:items", query="sort=worst")
    assert "This order is of" in page
    assert "from 24 judgments" in page


@pytest.mark.slow
def test_the_answers_with_the_worst_mean_are_dots(client: Client, ada: User) -> None:
    made = begun(ada)
    page, said = read(client, made, "annotate:items", query="sort=worst"), by_hand(made, "overall")
    listed = keys(client, made, "sort=worst")
    shown = re.findall(r'<span class="sr">answers ([^<]*)</span>', page)
    assert len(shown) == len(listed)
    for key, answers in zip(listed, shown, strict=True):
        values = [float(one.replace("−", "-")) for one in answers.split(", ")]
        assert sorted(values) in [sorted(text) for text in said[key]]
        assert fmean(values) == pytest.approx(min(map(fmean, said[key])), abs=0.01)
    assert page.count("<circle") == sum(len(one.split(", ")) for one in shown)
    opposed = sum(any({-1.0, 1.0} <= set(text) for text in said[key]) for key in listed)
    assert page.count("opposed</span>") == opposed > 0


@pytest.mark.slow
def test_items_with_and_without_judgments_are_told_apart(client: Client, ada: User) -> None:
    made = begun(ada)
    judged = set(by_hand(made, "overall"))
    every = set(Item.objects.filter(campaign=made).values_list("key", flat=True))
    assert 0 < len(judged) < len(every)
    for sort in ("order", "longest", "name"):
        assert set(keys(client, made, f"show=judged&sort={sort}")) == judged
        assert set(keys(client, made, f"show=unjudged&sort={sort}")) == every - judged
    assert keys(client, made, "show=unjudged&sort=worst") == []
    assert set(keys(client, made, "sort=worst&q=item-1")) == {k for k in judged if "item-1" in k}


def test_a_systems_order_is_about_its_own_texts(client: Client, ada: User) -> None:
    made = begun(ada)
    alpha = made.systems.get(name="Alpha-X")
    listed = keys(client, made, f"sort=worst&system={alpha.pk}")
    rows = Score.of(made.pk).filter(
        criterion="overall", judgment__output__authorships__system=alpha
    )
    values: defaultdict[str, list[float]] = defaultdict(list)
    for key, value in rows.values_list("judgment__output__item__key", "value"):
        values[key].append(value)
    means = {key: fmean(each) for key, each in values.items()}
    assert [means[key] for key in listed] == sorted(means.values())


def test_a_residual_is_the_mean_less_what_the_metric_predicts(client: Client, ada: User) -> None:
    made = begun(ada)
    alpha = made.systems.get(name="Alpha-X")
    look = CloserLook.objects.get(campaign=made, system=alpha, criterion="overall")
    order = ItemOrder.objects.get(campaign=made, system=alpha, measure=ItemMeasure.RESIDUAL)
    line = look.content["line"]
    first = read(client, made, "annotate:items", query=f"sort=residual&system={alpha.pk}")
    key = keys(client, made, f"sort=residual&system={alpha.pk}")[0]
    values = Score.of(made.pk).filter(
        criterion="overall", judgment__output__authorships__system=alpha
    )
    mean = fmean(values.filter(judgment__output__item__key=key).values_list("value", flat=True))
    g = MetricScore.objects.get(output__authorships__system=alpha, output__item__key=key).value
    residual = mean - line["intercept"] - line["slopes"]["quality"] * g
    assert f"{abs(residual):.2f}" in first
    assert len(order.positions) == 4 * look.content["n"]
    number = Item.objects.get(campaign=made, key=key).position + 1
    beside = read(client, made, "estimation:item-metrics", number)
    assert f"{abs(residual):.2f}" in beside
    assert "uploaded, used" in beside
    address = reverse("estimation:item-metrics", args=[made.public_id, number])
    told = [one for one in client.get(address).context["rows"] if one["system"] == "Alpha-X"]
    assert [one["residual"] for one in told] == [pytest.approx(residual)]


def test_a_computed_metric_stands_beside_the_uploaded_one(client: Client, ada: User) -> None:
    made = begun(ada)
    output = Item.objects.filter(campaign=made, position=0).get().outputs.earliest("pk")
    MetricScore.objects.create(
        campaign=made, output=output, metric="words", version="1", value=7.25
    )
    page = read(client, made, "estimation:item-metrics", 1)
    assert "7.250" in page
    assert ">computed<" in page
    assert reverse("estimation:item-metrics", args=[made.public_id, 1]) in read(
        client, made, "annotate:item", 1
    )


def test_an_item_that_nobody_has_judged_has_no_residual(client: Client, ada: User) -> None:
    page = read(client, campaign(owner=ada), "estimation:item-metrics", 1)
    assert 'data-label="Residual">–<' in page


@pytest.mark.slow
def test_the_page_of_a_system_has_points_quadrants_and_pictures(client: Client, ada: User) -> None:
    made = begun(ada)
    alpha = made.systems.get(name="Alpha-X")
    query = f"system={alpha.pk}"
    page = read(client, made, "estimation:systems", query=query)
    for title in ("Both high", "Metric high, people low", "Metric low, people high", "Both low"):
        assert title in page
    look = CloserLook.objects.get(campaign=made, system=alpha, criterion="overall").content
    parts = look["metrics"][0]["parts"]
    assert sum(part["n"] for part in parts) == look["n"]
    for part in parts:
        for place in part["examples"]:
            assert reverse("annotate:item", args=[made.public_id, place + 1]) in page
    for name in ("scatter", "scores", "values"):
        address = reverse("estimation:picture", args=[made.public_id, name, "csv"])
        rows = client.get(f"{address}?{query}").content.decode().splitlines()
        if name == "scatter":
            assert len(rows) == 1 + look["n"]
            assert rows[0] == "item,name,metric,mean,answers"
        else:
            assert sum(int(row.rpartition(",")[2]) for row in rows[1:]) == look["n"]
        for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
            drawn = client.get(f"{address.removesuffix('csv')}{kind}?{query}&theme=dark")
            assert drawn.content.startswith(begins)
    for name, kind in (("other", "svg"), ("scatter", "exe")):
        address = reverse("estimation:picture", args=[made.public_id, name, kind])
        assert client.get(address).status_code == 404


def test_whatever_is_asked_for_is_answered(client: Client, ada: User) -> None:
    made = begun(ada)
    for page in ("estimation:systems", "annotate:items"):
        address = reverse(page, args=[made.public_id])
        for query in (f"system={10**30}", "metric=x&criterion=%F0", "criterion=edit&system=-1"):
            assert client.get(f"{address}?{query}").status_code == 200
        assert client.get(f"{address}?system=%00").status_code == 400


def test_a_reviewer_gets_no_order_by_metrics_and_no_page_of_systems(ada: User) -> None:
    made = begun(ada)
    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    visitor = Client()
    visitor.force_login(eve)
    usual, residual = (
        read(visitor, made, "annotate:items", query=query) for query in ("", "sort=residual")
    )
    assert "esidual" not in residual
    assert keys(visitor, made, "sort=residual") == keys(visitor, made, "")
    assert reverse("estimation:systems", args=[made.public_id]) not in usual
    alpha = made.systems.get(name="Alpha-X")
    narrowed = keys(visitor, made, f"sort=worst&system={alpha.pk}")
    assert narrowed == keys(visitor, made, "sort=worst"), "the filter would tell who wrote what"
    addresses = [
        reverse("estimation:systems", args=[made.public_id]),
        reverse("estimation:picture", args=[made.public_id, "scatter", "csv"]),
        reverse("estimation:item-metrics", args=[made.public_id, 1]),
    ]
    assert [visitor.get(address).status_code for address in addresses] == [403] * 3
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    assert [visitor.get(address).status_code for address in addresses] == [200] * 3


def test_it_is_made_after_the_estimates_and_not_for_every_judgment(ada: User) -> None:
    made = begun(ada)
    before = CloserLook.objects.filter(campaign=made).latest("pk").pk
    judge(person(made, "next"))
    assert refresh.refresh(made.pk)
    assert not CloserLookDue.objects.exists(), "one judgment is not 5 % more"
    exclude(person(made, "p0"), ada)
    refresh.refresh(made.pk)
    assert CloserLookDue.objects.filter(campaign=made).exists()
    assert deferred.LOOKING.carry_out(made.pk)
    assert CloserLook.objects.filter(campaign=made).earliest("pk").pk > before
    assert not deferred.LOOKING.carry_out(made.pk), "nothing is due"


def test_without_metrics_there_are_distributions_alone(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=6, systems=("alpha",), metrics=())
    assert "nothing to show" in read(client, made, "estimation:systems")
    assert "There are none yet." in read(client, made, "annotate:items", query="sort=worst")
    take_turns([person(made, f"p{i}") for i in range(3)], 6)
    settle(made)
    page = read(client, made, "estimation:systems")
    assert "uses no metric" in page
    assert "Distributions" in page
    assert "esidual" not in read(client, made, "annotate:items", query="sort=residual")


def test_the_api_lists_the_items_as_their_page_does(client: Client, ada: User) -> None:
    made = begun(ada)
    address = reverse("api-items-listed", args=[made.public_id])
    body = client.get(f"{address}?sort=worst&system=Alpha-X&page_size=3").json()
    alpha = made.systems.get(name="Alpha-X")
    assert [row["item"] for row in body["results"]] == keys(
        client, made, f"sort=worst&system={alpha.pk}"
    )[:3]
    assert body["order_of"]
    assert body["criterion"] == "overall"
    assert body["next"]
    assert [row["worst_mean"] for row in body["results"]] == sorted(
        row["worst_mean"] for row in body["results"]
    )
    eve, visitor = user("eve"), Client()
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    visitor.force_login(eve)
    hidden = visitor.get(f"{address}?sort=residual&system=Alpha-X").json()
    assert hidden["order_of"] is None
    assert {row["residual"] for row in hidden["results"]} == {None}
    assert hidden["count"] == Item.objects.filter(campaign=made).count()
