"""The report: the same facts on the page, in LaTeX and as JSON, for whoever may see results."""

import hashlib
import json
import re
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import amendments
from annotate.common.numbers import moment, number, series
from annotate.models import Campaign, WorkTimes
from annotate.pay import work_times
from annotate.work import submitting
from estimation.pages import latex
from estimation.pages import report as pages_report
from estimation.pages.report import QUESTIONS, checklist, methods, plain, sentence
from tests.annotate.screening.test_screening_service import slow_clock
from tests.estimation.reviewed import settle, take_turns
from tests.estimation.verifying.worlds import closed, files_of
from tests.factories import GOOD, campaign, judge, leased, person
from tests.remembered import again

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]

HOSTILE = 'A & B_{1}} 100% #5 $x$ ~^\\ <b> "q"'


@pytest.fixture
def made(ada: User) -> Campaign:
    return again(closed, ada)


def texts(client: Client, made: Campaign) -> tuple[str, str, dict[str, Any]]:
    """The page, the LaTeX file, and the JSON."""
    root = f"/campaigns/{made.public_id}"
    page, tex = (client.get(f"{root}/{name}") for name in ("report/", "report.tex"))
    told = client.get(f"/api/v1{root}/report/")
    assert [one.status_code for one in (page, tex, told)] == [200, 200, 200]
    return page.content.decode(), tex.content.decode(), told.json()


@pytest.mark.slow
def test_page_latex_and_json_tell_the_same(client: Client, made: Campaign) -> None:
    page, tex, told = texts(client, made)
    report = pages_report.build(made)
    assert told["is_interim"] is False
    assert len(told["estimates"]) >= 2
    assert {one["criterion"] for one in told["estimates"] if one["is_primary"]} == {"overall"}
    for one in told["estimates"]:
        assert f"<b>{number(one['estimate'])}</b>" in page
        assert latex.escaped(number(one["estimate"])) in tex
    (pair,) = told["differences"]
    assert pair["p_holm"] == pytest.approx(report.pairs[0][0].contrasts[0].p_value)  # one pair
    assert latex.p_value(pair["p_holm"]) in page.replace("&lt;", "<")
    assert told["protocol_sha256"] == report.protocol.digest
    assert report.protocol.digest in page
    assert f"protocol {report.protocol.digest}" in tex
    for one in told["methods"]:
        assert latex.escaped(one) in tex
        assert re.sub(r"\s+", " ", one)[:40].split("“")[0] in strip(page)


@pytest.mark.slow
def test_the_hash_can_be_made_from_the_export(made: Campaign) -> None:
    files = files_of(made)
    (plan,) = (data for name, data in files.items() if name.endswith("plan.json"))
    stored = json.loads(plan)["protocol"]
    plain_json = json.dumps(stored, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(plain_json.encode()).hexdigest() == pages_report.build(made).digest


def strip(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page))


@pytest.mark.slow
def test_what_it_says_of_work_is_what_was_done(client: Client, made: Campaign) -> None:
    page, _tex, told = texts(client, made)
    assert (told["people"]["entered"], told["people"]["judged"]) == (8, 7)
    assert told["excluded"] in strip(page).replace("&#x27;", "'")
    assert told["excluded"].startswith("3 judgments of 1 annotator are excluded")
    assert told["appeals"] == {"made": 0, "upheld": 0, "waiting": 0}
    answers = {one["question"]: one for one in told["checklist"]}
    assert len(answers) == len(QUESTIONS)
    assert [one["is_open"] for one in told["checklist"]].count(True) == 3
    assert "1 person (3 judgments)" in answers["Was work excluded, or pay refused?"]["answer"]
    assert "13 of 16 are answered here" in page


@pytest.mark.slow
def test_nobodys_name_is_in_it(client: Client, made: Campaign) -> None:
    page, tex, told = texts(client, made)
    names = [one.external_id for one in _people(made)]
    assert len(names) == 8
    for name in names:
        for text in (strip(page), tex, str(told)):
            assert not re.search(rf"\b{re.escape(name)}\b", text)


def _people(made: Campaign) -> list[Any]:
    return [one.annotator for one in made.participations.select_related("annotator")]


@pytest.mark.slow
def test_pay_by_the_hour_is_that_of_the_median_person(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_clock(monkeypatch)
    made = campaign(owner=ada, items=12, annotator_cap=None, double_share=0)
    for name, times in {"a": (10.0, 14.0), "b": (20.0, 28.0), "c": (50.0, 50.0)}.items():
        who = person(made, name)
        for seconds in times:
            at = leased(who)
            submitting.submit_judgment(
                at.pk, participation_id=who.pk, raw=GOOD, active_seconds=seconds
            )
    pay = pages_report.build(made).work
    assert pay.seconds == pytest.approx(24.0)  # of the means 12, 24 and 50
    assert pay.hourly == pytest.approx(float(made.reward) * 150)
    assert pay.least == pytest.approx(float(made.reward) * (72 + 0.2 * (150 - 72)))


@pytest.mark.slow
def test_it_says_of_when_the_times_of_a_large_campaign_are(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = campaign(owner=ada, items=12, annotator_cap=None)
    judge(person(made, "a"))
    work_times.keep(made.pk)
    page, tex, told = texts(client, made)
    assert "Times, pay for an hour" not in page + tex
    assert (told["people"]["judged"], told["times_at"]) == (1, None)
    judge(person(made, "b"))
    page, tex, told = texts(client, made)
    at = WorkTimes.objects.get().at
    said = "Times, pay for an hour and the number of people whose judgments count are of "
    assert said + moment(at, "year") in strip(page)
    assert said in tex
    assert (told["people"]["judged"], datetime.fromisoformat(told["times_at"])) == (1, at)
    work_times.keep(made.pk)
    _page, _tex, told = texts(client, made)
    assert (told["people"]["judged"], told["times_at"]) == (2, None)


@pytest.mark.slow
def test_before_the_first_judgment_it_says_so(client: Client, ada: User) -> None:
    for status in (False, True):
        made = campaign(owner=ada, items=12, is_open=status)
        page, tex, told = texts(client, made)
        assert "There are none yet." in page
        assert "Not final" in page
        assert told["estimates"] == told["differences"] == []
        assert told["is_interim"] is True
        assert "INTERIM" in tex
        assert (told["protocol"] is None) == (not status)


@pytest.mark.slow
def test_amendments_are_told_with_their_reason(client: Client, made: Campaign, ada: User) -> None:
    other = campaign(owner=ada, items=12)
    changes = {"timing": {"words_per_minute": 700.0}}
    amendments.change(other.pk, changes, actor_id=ada.pk, reason="Short <texts>.")
    page, _tex, told = texts(client, other)
    assert told["amendments"][0]["why"] == "Short <texts>."
    assert told["amendments"][0]["changes"] == {"timing.words_per_minute": [500.0, 700.0]}
    assert "timing.words_per_minute from 500.0 to 700.0. Short &lt;texts&gt;." in page


@pytest.mark.slow
def test_a_hostile_name_is_text_everywhere(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=12, name=HOSTILE)
    page, tex, told = texts(client, made)
    assert told["name"] == HOSTILE
    assert "<b> " not in page
    comment = tex.split("\n")[0]
    assert comment == f"% {HOSTILE}"
    bib = client.get(f"/campaigns/{made.public_id}/report.bib").content.decode()
    assert latex.escaped(HOSTILE) in bib
    assert bib.count("{") == bib.count("}")


@pytest.mark.slow
def test_its_queries_do_not_grow(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, annotator_cap=None, double_share=0)
    counts = []
    for n in (4, 12):
        take_turns([person(made, f"p{n}-{k}") for k in range(n)], n)
        settle(made)
        pages_report.build(made)  # what a process keeps
        with CaptureQueriesContext(
            connection,
        ) as queries:
            pages_report.build(made)
        counts.append(len(queries))
    assert counts[0] == counts[1]


SPECIAL = "\\{}$&#%_~^<>|\"−–’“”\u00a0-'`?! aé中\n\t\x00\x7f\u2028\ud800"
# What LaTeX prints, and all that it may be given of its special characters.
WRITTEN = r"\\[$&#%_]|\\text[a-z]+\{\}|\\symbol\{34\}|\$-\$|\{\}"


@given(st.text(st.sampled_from(SPECIAL), max_size=30))
def test_what_latex_would_read_as_a_command_is_escaped(text: str) -> None:
    found = latex.escaped(text)
    assert re.fullmatch(rf"(?:{WRITTEN}|[^\\{{}}$&#%_^<>|\"])*+", found), found
    assert not re.search(r"[\x00-\x1f\x7f\x85\u2028\ud800-\udfff]", found)


def test_known_escapes() -> None:
    assert (
        latex.escaped("50 % & a_b {x} \\n")
        == r"50 \% \& a\_b \textbraceleft{}x\textbraceright{} \textbackslash{}n"
    )
    assert latex.escaped("−0.5 – “so”") == "$-$0.5 -- ``so''"
    assert latex.escaped("a--b ''c''") == "a-{}-b '{}'c'{}'"
    assert latex.escaped("naïve 中文") == "naïve 中文"


def test_p_values_are_written_as_papers_write_them() -> None:
    assert [latex.p_value(p) for p in (0.0004, 0.0213, 0.9999, 1.0)] == ["< .001", ".021", "1", "1"]


def test_facts_of_a_sentence_may_have_braces_and_its_words_must_fit() -> None:
    assert plain(sentence("A {} b {}.", "{}", 3)) == "A {} b 3."
    assert [is_fact for _text, is_fact in sentence("A {} b", "x")] == [False, True, False]
    with pytest.raises(ValueError, match="1 facts"):
        sentence("A {} {}", "x")
    assert [series(one) for one in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]


def test_every_kind_of_campaign_has_methods(ada: User) -> None:
    """A ranking, intervals valid at every look, a panel, no cap: sentences for each."""
    kinds: list[tuple[dict[str, Any], str]] = [
        ({"stop_mode": "anytime"}, "valid at every look"),
        ({"estimand": "panel"}, "exactly these annotators"),
        ({"annotator_cap": 7}, "Each judged at most 7 texts."),
    ]
    for changes, words in kinds:
        report = pages_report.build(campaign(owner=ada, items=12, **changes))
        assert words in " ".join(plain(one) for one in methods(report))
        assert all(one.answer for one in checklist(report))


def test_it_tells_only_what_is_so(client: Client, ada: User) -> None:
    """No bonus without a tutorial; what step 2 asks for is said to be missing, not unrecorded."""
    made = campaign(owner=ada, items=12, annotator_cap=None)
    page, tex, _told = texts(client, made)
    assert made.tutorial_bonus
    for text in (page, tex):
        assert "for the tutorial" not in text.lower()
    answers = {one.question: one for one in checklist(pages_report.build(made))}
    for question in ("Was there an ethics review?", "What is known about the annotators?"):
        assert answers[question].is_open
        assert answers[question].answer.startswith("Nothing was entered for this")


@pytest.mark.slow
def test_pay_of_work_that_nobody_can_have_read_comes_with_a_warning(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_clock(monkeypatch)
    made = campaign(owner=ada, items=12, annotator_cap=None, double_share=0)
    made.outputs.update(words=40)
    for name, seconds in {"a": 0.2, "b": 0.2, "c": 30.0}.items():
        who = person(made, name)
        at = leased(who)
        submitting.submit_judgment(at.pk, participation_id=who.pk, raw=GOOD, active_seconds=seconds)
    page, tex, _told = texts(client, made)
    assert "worked faster than people read" in page
    assert "worked faster than people read" in tex
