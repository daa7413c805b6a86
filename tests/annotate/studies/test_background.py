"""Questions to people about themselves: asked once, before the first task, and reported."""

import csv
import io
import zipfile

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.common import tokens
from annotate.common.errors import Invalid
from annotate.models import Assignment, BackgroundAnswers, Campaign, Participation
from annotate.studies import queries as studies_queries
from annotate.studies.queries import BackgroundQuestion, StudyTexts
from annotate.work import participations
from tests.annotate.market import entry, posting
from tests.factories import campaign, judge, person, user

orm = [pytest.mark.orm, pytest.mark.django_db]
ASKED = "Do you read <b>news</b>? | daily | less often\n\nIs English your first language?|yes|no\n"
TEXTS = StudyTexts(background=ASKED)
SENT = {"answer0": "1", "answer1": "-"}


def at(who: Participation, name: str = "work") -> str:
    return reverse(f"annotate:{name}", args=[tokens.participation_token(who.pk)])


# ---- the text ----------------------------------------------------------------------------------


def test_one_question_a_line_with_its_answers():
    assert studies_queries.parse(ASKED) == (
        BackgroundQuestion("Do you read <b>news</b>?", ("daily", "less often")),
        BackgroundQuestion("Is English your first language?", ("yes", "no")),
    )
    assert studies_queries.parse(" \n\n") == ()
    assert studies_queries.problem(ASKED) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("How old are you?", "2 to 12 answers"),
        ("How old are you? | 30", "2 to 12 answers"),
        ("Q? |" + "|".join(map(str, range(13))), "2 to 12 answers"),
        ("| yes | no", "begin with the question"),
        ("\u200b | yes | no", "begin with the question"),
        ("Q? | yes | ", "an answer is empty"),
        ("Q? | yes | yes", "two answers are the same"),
        ("Q? | a | b\nQ? | a | b", "are the same"),
        ("\n".join(f"Q{n}? | a | b" for n in range(9)), "at most 8"),
        (f"{'q' * 301} | a | b", "at most 300 characters"),
        (f"Q? | a | {'b' * 101}", "an answer 100"),
        ("A? | a | b\nB?", "question 2"),
    ],
)
def test_other_texts_are_refused_in_words(text, told):
    assert told in studies_queries.problem(text)


@given(st.text(alphabet="a? |\n\u200b\u2028\0", max_size=60))
def test_what_is_not_refused_can_be_asked(text):
    if studies_queries.problem(text):
        return
    for one in studies_queries.parse(text):
        assert one.text.strip() == one.text != ""
        assert 2 <= len(set(one.answers)) == len(one.answers) <= 12


# ---- the page ----------------------------------------------------------------------------------


class TestAsking:
    pytestmark = orm

    def test_they_come_before_the_first_task_and_after_consent(self, client):
        who = person(campaign(texts=StudyTexts("You may stop.", background=ASKED), tutorial=False))
        assert "You may stop." in client.get(at(who)).content.decode()
        client.post(at(who, "consent"), {"accept": "yes"})
        page = client.get(at(who)).content.decode()
        assert "Do you read &lt;b&gt;news&lt;/b&gt;?" in page
        assert "I would rather not say" in page
        assert not Assignment.objects.exists()

    def test_who_answers_gets_a_task_and_is_not_asked_again(self, client):
        who = person(campaign(texts=TEXTS, tutorial=False))
        assert client.post(at(who, "background"), SENT).status_code == 303
        assert BackgroundAnswers.objects.get().answers == ["less often", ""]
        assert "data-part" in client.get(at(who)).content.decode()
        client.post(at(who, "background"), {"answer0": "0", "answer1": "0"})
        assert BackgroundAnswers.objects.get().answers == ["less often", ""]

    @pytest.mark.parametrize(
        "changed",
        [{"answer0": ""}, {"answer0": "2"}, {"answer0": "daily"}, {"answer1": "١"}],
    )
    def test_nothing_else_is_an_answer(self, client, changed):
        who = person(campaign(texts=TEXTS, tutorial=False))
        response = client.post(at(who, "background"), SENT | changed)
        assert response.status_code == 400
        page = response.content.decode()
        assert page.count("Choose an answer") == 1
        assert page.count(" checked") == 1
        assert not BackgroundAnswers.objects.exists()
        assert Participation.objects.get(pk=who.pk).background_at is None

    def test_nothing_is_stored_before_consent(self, client):
        who = person(campaign(texts=StudyTexts("You may stop.", background=ASKED), tutorial=False))
        assert client.post(at(who, "background"), SENT).status_code == 303
        assert not BackgroundAnswers.objects.exists()
        client.post(at(who, "consent"), {"accept": "yes"})
        client.post(at(who, "background"), SENT)
        assert BackgroundAnswers.objects.get().answers == ["less often", ""]

    def test_no_other_address_gives_a_task_without_answers(self, client):
        study = campaign(texts=TEXTS, tutorial=False, annotator_cap=None)
        other = person(study, "p2")
        client.post(at(other, "background"), SENT)
        assert "data-part" in client.get(at(other)).content.decode()
        who = person(study)
        before = Assignment.objects.count()
        bearer = {"Authorization": f"Bearer {tokens.participation_token(who.pk)}"}
        answer = client.post(
            reverse("annotate:work-ahead", args=[1]),
            {},
            content_type="application/json",
            headers=bearer,
        )
        assert answer.json()["coming"] is None
        assert Assignment.objects.count() == before


# ---- in the crowd's next unit, the report and the export -----------------------------------------


class TestTelling:
    pytestmark = orm

    def test_a_person_whose_identity_is_sure_is_known_in_the_next_unit(self):
        study = campaign(texts=TEXTS, tutorial=False)
        who = person(study)
        participations.tell_background(who.pk, ["daily", ""])
        assert participations.told_background_at(study.pk, who.annotator_id) is not None
        Participation.objects.filter(pk=who.pk).update(verified_at=None)
        assert participations.told_background_at(study.pk, who.annotator_id) is None, (
            "may be another"
        )

    def test_report_and_export_tell_of_people_who_judged(self, client):
        owner = user()
        study = campaign(texts=TEXTS, tutorial=False, owner=owner)
        told = [("p1", ["daily", "yes"]), ("p2", ["daily", ""]), ("p3", ["less often", "no"])]
        people = {name: person(study, name) for name, _answers in told}
        for name, answers in told:
            participations.tell_background(people[name].pk, answers)
        judge(people["p1"])
        judge(people["p2"])  # p3 has not judged
        client.force_login(owner)
        report = client.get(reverse("estimation:report", args=[study.public_id]))
        page = " ".join(report.content.decode().split())
        assert "daily</span>: 2 people" in page
        assert "less often</span>: 0 people" in page
        assert "would rather not say: 1 person" in page
        assert "What they told to 2 questions" in page
        rows = exported(client, study)
        one, other = (people[name].annotator.pseudonym for name in ("p1", "p2"))
        first, second = "Do you read <b>news</b>?", "Is English your first language?"
        assert rows == [
            {"annotator": one, "question": first, "answer": "daily"},
            {"annotator": one, "question": second, "answer": "yes"},
            {"annotator": other, "question": first, "answer": "daily"},
            {"annotator": other, "question": second, "answer": ""},
        ]

    def test_a_plan_with_a_wrong_line_is_refused(self):
        with pytest.raises(Invalid) as refused:
            campaign(texts=StudyTexts(background="How old are you?"))
        assert list(refused.value.errors) == ["texts.background"]


def exported(client, study: Campaign) -> list[dict[str, str]]:
    answer = client.get(reverse("estimation:export", args=[study.public_id]))
    assert answer.status_code == 200
    whole = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    (name,) = (one for one in whole.namelist() if one.endswith("background.csv"))
    return list(csv.DictReader(io.StringIO(whole.read(name).decode("utf-8-sig"))))


# ---- before work is accepted at a crowd ----------------------------------------------------------


class TestBeforeAccepting:
    pytestmark = orm

    @pytest.mark.parametrize("asked", [True, False])
    def test_the_preview_shows_what_is_asked_before_the_first_task(self, client, asked):
        texts = StudyTexts("You may <i>stop</i>.", "ERB 7", background=ASKED)
        study = campaign(crowd="mturk", **({"texts": texts} if asked else {}))
        page = client.get(entry(posting(study))).content.decode()
        for told in ("You may &lt;i&gt;stop&lt;/i&gt;.", "ERB 7", "a few questions about yourself"):
            assert (told in page) is asked
        assert "This is an example." in page
