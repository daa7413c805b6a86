"""What is said before MTurk is asked: its limits, its fees, its questions."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from xml.etree import ElementTree

import pytest

from annotate.crowds.contract import Audience
from annotate.crowds.mturk.marketplace import MTurk, question_xml, receipt_in
from tests.crowds.contract import spec

SANDBOX = MTurk("sandbox")
ANSWERS = (
    '<?xml version="1.0" encoding="UTF-8"?><QuestionFormAnswers xmlns="http://mechanicalturk.'
    'amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd">{}'
    "</QuestionFormAnswers>"
)
ANSWER = "<Answer><QuestionIdentifier>{}</QuestionIdentifier><FreeText>{}</FreeText></Answer>"


# ---------------------------------------------------------------- limits

JUST_RIGHT = {
    "title": ["x", "x" * 128],
    "description": ["x", "x" * 2000],
    "keywords": [(), ("x" * 500, "y" * 498)],
    "reward": [Decimal("0.01"), Decimal("1.5"), Decimal("2")],
    "places": [1, 9],
    "duration": [timedelta(seconds=30), timedelta(seconds=31_536_000)],
    "lifetime": [timedelta(seconds=30), timedelta(seconds=31_536_000)],
    "auto_approval": [timedelta(0), timedelta(seconds=2_592_000)],
    "url": ["https://a.example/", "https://a.example/" + "x" * 65_250],
    "audience": [Audience(("DE",) * 30, (), 100, 0), Audience(exclusion="x" * 150)],
}
TOO_MUCH = {
    "title": ["", " ", "x" * 129],
    "description": ["", "x" * 2001],
    "keywords": [("x" * 500, "y" * 499)],
    "reward": [Decimal("0"), Decimal("-1"), Decimal("0.005"), Decimal("1.501"), Decimal("NaN")],
    "places": [0, 10],
    "duration": [timedelta(seconds=29), timedelta(seconds=31_536_001)],
    "lifetime": [timedelta(seconds=29), timedelta(seconds=31_536_001)],
    "auto_approval": [timedelta(seconds=-1), timedelta(seconds=2_592_001)],
    "url": ["http://a.example/", "https:///", "", "https://a.example/" + "x" * 65_536],
    "audience": [
        Audience(("DE",) * 31),
        Audience(("Germany",)),
        Audience(("de",)),
        Audience(languages=("de",)),
        Audience(approval_rate=101),
        Audience(approval_rate=-1),
        Audience(approved_work=-1),
        Audience(masters=True),
        Audience(exclusion="x" * 151),
    ],
}


def cases(table):
    return [(field, value) for field, values in table.items() for value in values]


@pytest.mark.parametrize(("field", "value"), cases(JUST_RIGHT))
def test_what_mturk_takes_is_no_problem(field, value):
    assert SANDBOX.validate(replace(spec(), **{field: value})) == []


@pytest.mark.parametrize(("field", "value"), cases(TOO_MUCH))
def test_what_mturk_would_refuse_is_said_with_its_field(field, value):
    found = SANDBOX.validate(replace(spec(), **{field: value}))
    assert [problem.field for problem in found] == [field]
    assert all(problem.message.endswith(".") for problem in found)


def test_a_page_without_tls_is_for_servers_without_tls():
    plain = replace(spec(), url="http://localhost:8000/work/")
    assert MTurk("sandbox", endpoint_url="http://localhost:8123").validate(plain) == []
    for crowd in (SANDBOX, MTurk("production"), MTurk("x", endpoint_url="https://turk.example")):
        assert [problem.field for problem in crowd.validate(plain)] == ["url"]


def test_what_would_be_refused_is_not_asked_for():
    outcome = MTurk("sandbox").publish(replace(spec(), reward=Decimal("0.005")), "op-1")
    assert (outcome.effect.value, outcome.code) == ("refused", "invalid")
    assert "two decimals" in outcome.message


# ---------------------------------------------------------------- fees: by hand, from the tariff


@pytest.mark.parametrize(
    ("reward", "places", "fees"),
    [
        ("1.00", 1, "0.20"),
        ("1.00", 9, "1.80"),
        ("0.50", 100, "10.00"),  # many small postings: 40 % are for ten places and more in one
        ("0.03", 5, "0.05"),  # 0.6 cents become the least fee, a cent
        ("0.01", 3, "0.03"),
        ("0.12", 1, "0.02"),  # 2.4 cents
        ("0.13", 1, "0.03"),  # 2.6 cents
    ],
)
def test_fees_of_units(reward, places, fees):
    cost = SANDBOX.estimate_cost(Decimal(reward), places)
    assert (cost.reward, cost.fee) == (Decimal(reward) * places, Decimal(fees))
    assert cost.total == Decimal(reward) * places + Decimal(fees)


# ---------------------------------------------------------------- XML


def test_a_question_frames_our_page_whatever_its_address_holds():
    url = 'https://a.example/x/?a=1&b=<"2">'
    root = ElementTree.fromstring(question_xml(url))
    schema = (
        "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
        "ExternalQuestion.xsd"
    )
    assert [(child.tag, child.text) for child in root] == [
        (f"{{{schema}}}ExternalURL", url),
        (f"{{{schema}}}FrameHeight", "0"),
    ]
    assert root.tag == f"{{{schema}}}ExternalQuestion"


def test_our_receipt_is_found_among_other_fields():
    answers = ANSWER.format("other", "x") + ANSWER.format("receipt", " 9f2a&amp;b ")
    assert receipt_in(ANSWERS.format(answers)) == "9f2a&b"


@pytest.mark.parametrize(
    "answers",
    [
        "",
        "no XML",
        "<a",
        ANSWERS.format(""),
        ANSWERS.format(ANSWER.format("receipts", "x")),
        ANSWERS.format("<Answer><QuestionIdentifier>receipt</QuestionIdentifier></Answer>"),
        ANSWERS.format(ANSWER.format("receipt", "x"))[:-5],
    ],
)
def test_without_a_receipt_there_is_none(answers):
    assert receipt_in(answers) == ""


@pytest.mark.parametrize(
    "document_type",
    [
        '<!DOCTYPE a [<!ENTITY e "9f2a">]>',
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY e "&b;&b;">]>',
        "<!DOCTYPE a>",
    ],
)
def test_a_document_type_is_refused_whatever_it_declares(document_type):
    text = "&e;" if "ENTITY e" in document_type else "9f2a"
    answers = document_type + ANSWERS.partition("?>")[2].format(ANSWER.format("receipt", text))
    assert receipt_in(answers) == ""
