"""Judgments that were made elsewhere: a closed campaign that says what `estimate` says."""

import csv
import json
import re
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils.html import escape

from annotate.campaigns import life, plans, totals
from annotate.common.errors import Conflict, Invalid
from annotate.models import Annotator, Campaign, Judgment, Review, Screening
from annotate.studies import queries
from estimation import read, recorded, refresh
from estimation.models import Comparison
from estimation.pages import dashboard, report
from tests.factories import plan, user

pytestmark = pytest.mark.django_db

HEADER = ("annotator", "item", "system", "criterion", "score", "time")
SCALES = ["style 1 5"]


def rows(seed=3, items=90, people=14, groups=0):
    """Judgments of two systems on two criteria; a quarter of the items by two people."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.3, items)
    for item in range(items):
        for system, mean in (("alpha", 0.4), ("beta", -0.1)):
            for person in rng.choice(people, 1 + (item % 4 == 0), replace=False):
                overall = float(np.clip(round(2 * (mean + ease[item])) / 2, -1, 1))
                style = int(np.clip(np.round(3 + mean + rng.normal()), 1, 5))
                about = (f"p{person}", f"item {item}", system)
                more = (f"doc {item // groups}",) if groups else ()
                yield (*about, "overall", overall, f"2026-03-{1 + item % 28:02d}", *more)
                yield (*about, "style", style, f"2026-03-{1 + item % 28:02d}", *more)


def write(path, found, header=HEADER):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *found])
    return path


def taken(path, **more):
    who, _is_new = User.objects.get_or_create(username="ada")
    given = {"name": "Theirs", "owner_id": who.pk, "chosen": "Drawn by lot.", "scales": SCALES}
    campaign = recorded.import_judgments(path, **(given | more))
    while refresh.refresh(campaign.pk):
        pass
    campaign.refresh_from_db()
    return campaign


def estimated(path, **asked):
    out = StringIO()
    call_command("estimate", judgments=path, json=True, stdout=out, **asked)
    return json.loads(out.getvalue())


ALIKE = ("estimate", "low", "high", "std_error", "df", "n_items", "n_judgments", "n_annotators")


def same(ours, theirs):
    assert {name: getattr(ours, name) for name in ALIKE} == {name: theirs[name] for name in ALIKE}
    assert ours.effective_annotators == theirs["effective_annotators"]


def theirs_of(path, **asked):
    """What the command says of both criteria, by system and criterion."""
    found = {}
    for criterion, scale in (("overall", None), ("style", (1, 5))):
        for one in estimated(path, criterion=[criterion], scale=scale, **asked):
            found[one["system"], one["criterion"]] = one
    return found


@pytest.mark.parametrize("outputs", [300, 90])
@pytest.mark.parametrize("estimand", ["population", "panel"])
def test_a_random_sample_gives_the_estimates_of_the_command_to_the_last_digit(
    tmp_path, outputs, estimand
):
    path = write(tmp_path / "theirs.csv", rows())
    campaign = taken(path, outputs=outputs, estimand=estimand)
    theirs = theirs_of(path, items=outputs, estimand=estimand)
    ours = list(read.newest([campaign.pk], ["overall", "style"]))
    assert len(ours) == len(theirs) == 4
    for one in ours:
        assert not one.provisional
        same(one, theirs[one.system.name, one.criterion])


def test_a_difference_is_that_of_the_command(tmp_path):
    path = write(tmp_path / "theirs.csv", rows())
    campaign = taken(path, outputs=300)
    found = estimated(path, items=300, criterion=["overall"], compare=("alpha", "beta"))
    theirs = next(one for one in found if one["system"] not in ("alpha", "beta"))
    ours = Comparison.objects.get(campaign=campaign, criterion="overall")
    assert ours.difference == theirs["estimate"]
    assert (ours.low, ours.high, ours.df) == (theirs["low"], theirs["high"], theirs["df"])


def test_without_a_random_sample_the_judged_items_are_all_that_there_is(tmp_path):
    path = write(tmp_path / "theirs.csv", rows())
    campaign = taken(path)
    everything = theirs_of(path, items=90)
    for one in read.newest([campaign.pk], ["overall", "style"]):
        same(one, everything[one.system.name, one.criterion])
    board = dashboard.of_campaign(campaign)
    assert "no claim beyond these items" in board.facts.made_elsewhere
    said = "".join(text for part in report.methods(report.build(campaign)) for text, _ in part)
    assert "no claim beyond these items" in said
    assert "stop" not in said


def test_a_score_may_be_missing_and_people_are_not_mixed_up_with_others(tmp_path):
    one_each = [row for n, row in enumerate(rows()) if n % 3 or row[3] == "overall"]
    path = write(tmp_path / "theirs.csv", one_each)
    campaign, again = taken(path, outputs=120), taken(path, name="Again", outputs=120)
    theirs = theirs_of(path, items=120)
    for one in read.newest([campaign.pk], ["overall", "style"]):
        assert not one.provisional
        same(one, theirs[one.system.name, one.criterion])
    n_rows = {one.n_judgments for one in read.newest([campaign.pk], ["overall", "style"])}
    assert len(n_rows) > 1  # the criteria have different numbers of judgments
    people = [set(Annotator.objects.filter(participations__campaign=c)) for c in (campaign, again)]
    assert len(people[0]) == 14
    assert not people[0] & people[1]


def test_groups_are_what_was_sampled(tmp_path):
    path = write(tmp_path / "theirs.csv", rows(items=96, groups=4), (*HEADER, "group"))
    campaign = taken(path, outputs=96)
    theirs = theirs_of(path)
    for one in read.newest([campaign.pk], ["overall", "style"]):
        other = theirs[one.system.name, one.criterion]
        assert one.detail["groups"][0] == 24
        assert one.estimate == pytest.approx(other["estimate"], rel=1e-12)
    with pytest.raises(Invalid, match="groups"):
        taken(path, outputs=200)


def test_it_is_closed_costs_nothing_and_screens_nobody(tmp_path):
    campaign = taken(write(tmp_path / "theirs.csv", rows()), outputs=300)
    assert campaign.status == "closed"
    assert totals.disagreements(campaign) == []
    assert campaign.totals.spent == 0
    assert not Review.objects.filter(campaign=campaign).exists()
    assert not Screening.objects.filter(campaign=campaign).exists()
    with pytest.raises(Conflict, match="elsewhere"):
        life.reopen(campaign.pk, actor_id=user("eve").pk, why="More.")
    first = Judgment.objects.filter(campaign=campaign).order_by("pk").first()
    assert first.submitted_at.date().isoformat() == "2026-03-01"
    assert set(first.response["scores"]) == {"overall", "style"}


def test_its_instrument_is_nobody_elses(tmp_path):
    campaign = taken(write(tmp_path / "theirs.csv", rows()), outputs=300)
    assert not [one for one in queries.listed(None) if one.instrument.key == campaign.instrument]
    with pytest.raises((KeyError, Invalid)):
        plans.check(plan(instrument=campaign.instrument, targets={"style": 0.5}))


@pytest.mark.slow
def test_an_export_is_verified(tmp_path):
    campaign = taken(write(tmp_path / "theirs.csv", rows()), outputs=300)
    to = tmp_path / "export.zip"
    call_command("export", campaign.public_id, to=to, stdout=StringIO(), stderr=StringIO())
    out = StringIO()
    call_command("verify", str(to), stdout=out, stderr=StringIO(), no_color=True)
    with ZipFile(to) as files:
        inside = {Path(name).name: files.read(name).decode() for name in files.namelist()}
    told, names = json.loads(inside["plan.json"]), " ".join(inside.values())
    assert told["recorded"] == {"outputs": 300, "chosen": "Drawn by lot."}
    assert ",p3," not in names
    assert "Everything agrees. 226 answers were scored again" in out.getvalue()


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"scales": []}, "scales", "style 1 5"),
        ({"scales": ["style 2 5"]}, "scales", "reach from 1 to 5"),
        ({"scales": ["style five"]}, "scales", "is no scale"),
        ({"scales": ["style 5 1"]}, "scales", "is no scale"),
        ({"scales": ["style 1 nan"]}, "scales", "is no scale"),
        ({"scales": [*SCALES, "adequacy 1 5"]}, "scales", "no criterion “adequacy”"),
        ({"outputs": 89}, "outputs", "90 items"),
        ({"outputs": 10**9 + 1}, "outputs", "At most"),
        ({"most": 451}, "file", "more than 451 rows. The command"),
        ({"name": " "}, "name", "Give the campaign a name"),
        ({"chosen": ""}, "chosen", "in one sentence"),
    ],
)
def test_what_cannot_be_taken_is_told(tmp_path, change, field, said):
    path = write(tmp_path / "theirs.csv", rows())
    with pytest.raises(Invalid) as refused:
        taken(path, **change)
    assert said in refused.value.errors[field]
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("p1", "item 0", "alpha", "overall", "good", ""), "Line 2"),
        (("p1", "item 0", "alpha", "overall", "nan", ""), "finite"),
        (("p1", "item 0", "alpha", "overall", "0", "yesterday"), "is no date"),
        (("p1", "item 0", "alpha", "overall", "0", "2026-02-30"), "is no date"),
        (("", "item 0", "alpha", "overall", "0", ""), "annotator is empty"),
        (("p1", "i" * 121, "alpha", "overall", "0", ""), "longer than 120"),
        (("p1", "item 0", "a" * 81, "overall", "0", ""), "longer than 80"),
        (("p1", "item 0", "alpha", "edit", "1e7", ""), "further from 0 than a million"),
        (("p1", "item 0", "alpha", "!?", "0", ""), "has no letter"),
    ],
)
def test_a_faulty_row_is_told_with_its_place(tmp_path, row, said):
    also = ("p2", *row[1:4], "0", "")
    with pytest.raises(Invalid) as refused:
        taken(write(tmp_path / "theirs.csv", [row, also]), scales=[])
    assert said in refused.value.errors["file"]


def test_the_same_person_judges_an_output_once(tmp_path):
    row = ("p1", "item 0", "alpha", "overall", "0", "")
    with pytest.raises(Invalid) as refused:
        taken(write(tmp_path / "theirs.csv", [row, row]), scales=[])
    assert "a second time" in refused.value.errors["file"]


def test_page_api_and_command_do_the_same(tmp_path, client):
    ada = user()
    path = write(tmp_path / "theirs.csv", rows())
    client.force_login(ada)
    form = {
        "name": "By page",
        "sample": "random",
        "outputs": 300,
        "chosen": "Drawn by lot.",
        "scales": "style 1 5",
        "estimand": "population",
    }
    assert b"Import the judgments" in client.get("/campaigns/judgments/new/").content
    refused = client.post(
        "/campaigns/judgments/new/",
        form | {"outputs": "", "file": SimpleUploadedFile("theirs.csv", path.read_bytes())},
    )
    assert refused.status_code == 422
    assert b"Say how many outputs each system had" in refused.content
    sent = client.post(
        "/campaigns/judgments/new/",
        form | {"file": SimpleUploadedFile("theirs.csv", path.read_bytes())},
    )
    assert sent.status_code == 302
    found = [
        {"annotator": a, "item": i, "system": s, "criterion": c, "score": n, "time": t}
        for a, i, s, c, n, t in rows()
    ]
    body = form | {"name": "By rows", "scales": SCALES, "judgments": found}
    told = client.post("/api/v1/recorded/", body, content_type="application/json")
    assert told.status_code == 201, told.content
    out = StringIO()
    call_command(
        *("import_judgments", str(path), "--owner", ada.username, "--name", "By command"),
        *("--outputs", "300", "--chosen", "Drawn by lot.", "--scale", "style 1 5"),
        stdout=out,
    )
    assert "judgments" in out.getvalue()
    numbers = set()
    for name in ("By page", "By rows", "By command"):
        campaign = Campaign.objects.get(name=name)
        while refresh.refresh(campaign.pk):
            pass
        shown = client.get(f"/campaigns/{campaign.public_id}/")
        assert b"made elsewhere" in shown.content
        assert client.get(f"/campaigns/{campaign.public_id}/report/").status_code == 200
        newest = read.newest([campaign.pk], ["overall", "style"])
        numbers.add(tuple((one.system.name, one.estimate, one.low) for one in newest))
    assert len(numbers) == 1


def test_the_api_tells_what_is_wrong(client):
    client.force_login(user())
    body = {"name": "x", "sample": "random", "chosen": "By lot.", "judgments": []}
    told = client.post("/api/v1/recorded/", body, content_type="application/json")
    assert told.status_code == 422
    assert "outputs" in told.json()["errors"]
    both = client.post(
        "/api/v1/recorded/",
        {key: one for key, one in body.items() if key != "judgments"},
        content_type="application/json",
    )
    assert "file" in both.json()["errors"]


def test_each_criterion_speaks_for_the_items_judged_on_it(tmp_path):
    few = [row for row in rows() if row[3] == "overall" or int(row[1].split()[1]) < 30]
    campaign = taken(write(tmp_path / "theirs.csv", few))
    of_style = [row for row in few if row[3] == "style"]
    alone = write(tmp_path / "style.csv", of_style)
    theirs = {one["system"]: one for one in estimated(alone, items=30, scale=(1, 5))}
    for one in read.newest([campaign.pk], ["style"]):
        same(one, theirs[one.system.name])


@pytest.mark.slow
def test_a_difference_speaks_for_the_items_judged_for_both(tmp_path):
    half = [row for row in rows() if row[2] == "alpha" or int(row[1].split()[1]) % 2]
    campaign = taken(write(tmp_path / "theirs.csv", half))
    both = [row for row in half if int(row[1].split()[1]) % 2 and row[3] == "overall"]
    found = estimated(write(tmp_path / "both.csv", both), items=45, compare=("alpha", "beta"))
    ours = Comparison.objects.get(campaign=campaign, criterion="overall")
    assert (ours.n_items, ours.difference) == (45, found[-1]["estimate"])
    assert (ours.low, ours.high) == (found[-1]["low"], found[-1]["high"])
    to = tmp_path / "export.zip"
    call_command("export", campaign.public_id, to=to, stdout=StringIO(), stderr=StringIO())
    out = StringIO()
    call_command("verify", str(to), stdout=out, stderr=StringIO(), no_color=True)
    assert "Everything agrees" in out.getvalue()


@pytest.mark.parametrize("name", ["a/b", 'a. b"<x>', "two  blanks", "质量"])
def test_a_criterion_of_any_name_has_its_pages(tmp_path, client, name):
    found = [(*row[:3], name, *row[4:]) for row in rows() if row[3] == "style"]
    ada = user()
    scale = f"{' '.join(name.split())} 1 5"
    campaign = taken(write(tmp_path / "theirs.csv", found), scales=[scale])
    client.force_login(ada)
    page = client.get(f"/campaigns/{campaign.public_id}/")
    assert escape(" ".join(name.split())) in page.content.decode()
    plot = re.search(r'src="([^"]*plots[^"]*svg)"', page.content.decode())
    assert plot is not None
    assert client.get(plot[1]).status_code == 200


def test_a_time_is_kept_whatever_its_offset(tmp_path):
    found = [(*row[:5], "2026-03-01T00:00:00+23:59") for row in rows()]
    campaign = taken(write(tmp_path / "theirs.csv", found))
    first = Judgment.objects.filter(campaign=campaign).first()
    assert first.submitted_at.isoformat() == "2026-02-28T00:01:00+00:00"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([("p1", "item 0", "alpha", "overall", "0", "")], "needs two"),
        ([(f"p{n}", "item 0", "alpha", "overall", "0", "") for n in range(1001)], "one output"),
        ([(f"p{n % 2}", "i", f"s{n // 2}", "overall", "0", "") for n in range(202)], "100 systems"),
        (
            [("p1", f"i{n}", f"s{n % 100}", "overall", "0", "") for n in range(2001)],
            "200,000 outputs",
        ),
    ],
)
def test_what_would_not_fit_is_refused(tmp_path, found, said):
    with pytest.raises(Invalid) as refused:
        taken(write(tmp_path / "theirs.csv", found), scales=[], outputs=5000)
    assert said in refused.value.errors["file"]


@pytest.mark.parametrize("path", ["people", "gold", "pay"])
def test_nobody_is_asked_or_paid_for_it(tmp_path, client, path):
    ada = user()
    campaign = taken(write(tmp_path / "theirs.csv", rows()))
    client.force_login(ada)
    refused = client.get(f"/campaigns/{campaign.public_id}/{path}/")
    assert refused.status_code == 409
    assert b"made elsewhere" in refused.content
    posted = client.post(
        f"/api/v1/campaigns/{campaign.public_id}/links/",
        {"names": ["a"]},
        content_type="application/json",
    )
    assert posted.status_code == 409
    assert client.get(f"/instruments/{campaign.instrument}/tutorials/").status_code == 404
    shown = client.get(f"/api/v1/campaigns/{campaign.public_id}/").json()
    assert shown["recorded"] == {"outputs": None, "chosen": "Drawn by lot."}
    item = client.get(f"/campaigns/{campaign.public_id}/items/1/")
    assert b"The text is not known here." in item.content
    assert b"The system wrote nothing." not in item.content


@pytest.mark.parametrize(
    "odd",
    [
        {"criterion": "st\0yle"},
        {"criterion": "st\ud800yle"},
        {"criterion": "style" + "." * 50},
        {"item": "i\0"},
        {"system": "\ud800"},
        {"group": "\0"},
        {"annotator": "\ud800", "twice": True},
    ],
)
def test_names_that_nothing_can_store_are_told(client, odd):
    client.force_login(user())
    row = {"annotator": "p1", "item": "i", "system": "s", "criterion": "style", "score": 3} | odd
    again = row if row.pop("twice", False) else row | {"annotator": "p2"}
    file = SimpleUploadedFile("theirs.json", json.dumps([row, again]).encode())
    form = {"name": "x", "sample": "otherwise", "chosen": "y", "scales": "style 1 5"}
    told = client.post("/campaigns/judgments/new/", form | {"estimand": "population", "file": file})
    assert told.status_code == 422
    assert "file" in told.context["form"].errors
    assert not Campaign.objects.exists()
