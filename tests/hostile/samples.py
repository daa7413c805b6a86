"""A body for every address that takes one: right enough that a wrong field in it is reached."""

import json
from collections.abc import Callable
from typing import Any

from annotate.studies import queries as studies_queries
from annotate.studies import tutorials
from tests.addresses import World
from tests.annotate.own import every_kind, helpful
from tests.annotate.researcher import PLAN
from tests.annotate.work.pages.working import BEST, JUDGED

TERMS: dict[str, Any] = {
    "title": "Rate news",
    "description": "Read a text.",
    "keywords": ["news"],
    "tasks": 2,
    "minutes": "4.0",
    "places": 3,
    "audience": {
        "countries": ["US"],
        "languages": [],
        "approval_rate": 95,
        "approved_work": 10,
        "masters": False,
    },
    "duration": 3600,
    "lifetime": 86400,
    "auto_approval": 86400,
    "approve_after": 3600,
}
BATCH_FORM: dict[str, Any] = {
    "key": "k",
    "title": "T",
    "description": "D",
    "keywords": "a, b",
    "tasks": "2",
    "minutes": "4",
    "places": "4",
    "duration": "60",
    "lifetime": "3",
    "approve_after": "24",
    "auto_approval": "7",
    "countries": "US",
    "approval_rate": "95",
    "approved_work": "10",
    "act": "offer",
}


def tutorial() -> Any:
    return json.loads(tutorials.tutorial_file("language_quality", "en"))


def question() -> dict[str, Any]:
    return {"tutorial": tutorial(), "question": 1, "response": {"value": 1}}


PLANNED: dict[str, Any] = {
    "name": "News",
    "targets": {"overall": 0.2},
    "instrument": "language_quality",
    "tutorial": True,
    "tutorial_id": None,
    "tutorial_bonus": "0.75",
    "metrics": ["repetition"],
    "reward": "0.40",
    "crowd": "link",
    "fee_rate": "0.2",
    "budget": "20",
    "max_judgments": 100,
    "deadline": "2030-01-01T00:00Z",
    "annotator_cap": 25,
    "double_share": 0.25,
    "raters": 3,
    "experts": ["Ann", "Bob", "Cem"],
    "lease_minutes": 30,
    "estimand": "population",
    "level": 0.95,
    "stop_mode": "precision",
    "language": "en",
    "contact": "ada@example.org",
    "seed": 3,
    "key": "k2",
    "bonus_after": 3,
    "open_link_bonus": True,
    "gold_share": 0,
    "public_title": "Rate news",
    "public_about": "You read news.",
    "texts": {
        "consent": "You may stop.",
        "ethics": "ERB 17",
        "instructions": "Judge as an editor.",
    },
    "outputs": [
        {
            "item": "1",
            "system": "alpha",
            "output": "A.",
            "reference": "R",
            "input": "I",
            "paragraphs": ["P"],
            "metrics": {"comet": 0.5},
        }
    ],
}
# JSON, by the name of the address.
THEIRS = [
    {"annotator": f"p{n}", "item": f"i{n}", "system": "alpha", "criterion": "style", "score": n}
    | {"time": "2026-03-31", "group": f"g{n}"}
    for n in (1, 2, 3)
]
RECORDED: dict[str, Any] = {
    "name": "Theirs",
    "sample": "random",
    "outputs": 3,
    "chosen": "Drawn by lot.",
    "estimand": "population",
}

BODIES: dict[str, Callable[[World], Any]] = {
    "api-token": lambda _world: {"username": "ada", "password": "long enough to be fine"},
    "api-campaign-list": lambda _world: PLANNED,
    "api-recorded": lambda _world: RECORDED | {"scales": ["style 1 5"], "judgments": THEIRS},
    "api-instrument-list": lambda _world: every_kind(),
    "api-instrument-tutorials": lambda _world: tutorial(),
    "api-review-rule": lambda _world: {"acts": ["clear"], "reason": "Fine.", "seen": 0},
    "api-review-dismiss": lambda _world: {"answer": "It stays."},
    "api-reviews-together": lambda world: {
        "acts": ["clear"],
        "people": [
            {
                "campaign": world.link.public_id,
                "annotator": world.facts["pseudonym"],
                "reason": "Fine.",
                "seen": 0,
            }
        ],
        "confirmed": False,
    },
    "api-extra-pay": lambda world: {
        "kind": "bonus",
        "annotator": world.facts["pseudonym"],
        "amount": "1.00",
        "reason": "Thank you.",
        "key": "1",
        "beyond_budget": True,
    },
    "api-payout-undo": lambda world: {"annotators": [world.facts["pseudonym"]], "reason": "No."},
    "api-campaign-detail": lambda _world: {"public_title": "Rate news", "reason": "Why."},
    "api-gold": lambda _world: {
        "gold": [{"item": "a", "output": "The the.", "expected": {"fluency": [-1, 0]}}],
        "share": 3,
    },
    "api-gold-confirm": lambda _world: {"items": ["a"]},
    "api-gold-remove": lambda _world: {"items": ["a"]},
    "api-links": lambda _world: {"names": ["Ann", "Bob"]},
    "api-expert-release": lambda _world: {"name": "Ann", "reason": "Ill.", "replacement": "Bob"},
    "api-notifications": lambda _world: {
        "channel": "webhook",
        "url": "https://example.org/",
        "events": ["closed"],
    },
    "api-screens": lambda _world: {"settings": {"timing": {"share": 0.2}}, "reason": "Why."},
    "api-campaign-bound-metrics": lambda _world: {"reason": "An outlier."},
    "api-texts": lambda _world: {"consent": "You may stop.", "reason": "Why."},
    "api-budget": lambda _world: {"budget": "900.00"},
    "api-fee": lambda _world: {"fee_rate": "0.3", "beyond_budget": True},
    "api-doubtful-pay": lambda _world: {"beyond_budget": True},
    "api-batches": lambda _world: (
        TERMS | {"confirmed": "7.20", "environment": "sandbox", "key": "k"}
    ),
    "api-batch-offer": lambda _world: TERMS,
    "api-batch-offer-more": lambda _world: {"places": 2},
    "api-batch-extend": lambda _world: {
        "places": 2,
        "confirmed": "1.92",
        "environment": "sandbox",
        "key": "k",
    },
    "api-operation-decide": lambda _world: {"happened": True},
    "annotate:tutorial-grade": lambda _world: question(),
    "annotate:appeal": lambda _world: {"text": "I read fast."},
    "annotate:feedback": lambda _world: {
        "comment": "Fine.",
        "clarity": 1,
        "enjoyment": 2,
        "pay": 3,
    },
    "annotate:tutorial-answer": lambda _world: {
        "response": {"value": 1},
        "version": "1",
        "question": "q",
        "active_seconds": 3.5,
    },
    "annotate:work-heartbeat": lambda _world: {},
    "annotate:work-return": lambda _world: {},
    "annotate:work-ahead": lambda _world: {},
    "annotate:work-correct": lambda _world: JUDGED | {"after": 1, "active_seconds": 2.5},
    "annotate:work-draft": lambda _world: {"revision": 0, "data": {"fluency": 1, "edit": "x"}},
    "annotate:work-submit": lambda world: (
        JUDGED
        | {
            "response": BEST | {"overall": 0, "edit": world.facts["text"] + " Indeed."},
            "active_seconds": 12.5,
        }
    ),
    "annotate:crowd-events": lambda _world: {
        "event_type": "study.status.change",
        "resource_id": "HIT1",
    },
}
# Forms, by the name of the address.
FORMS: dict[str, Callable[[World], dict[str, Any]]] = {
    "login": lambda _world: {"username": "ada", "password": "wrong", "next": "/"},
    "logout": lambda _world: {},
    "api-token": lambda _world: {"username": "ada", "password": "wrong"},
    "annotate:join": lambda _world: {"name": "Grace"},
    "annotate:consent": lambda _world: {"accept": "yes"},
    "estimation:recorded": lambda _world: RECORDED | {"scales": "style 1 5"},
    "annotate:campaign-new": lambda _world: {
        "name": "News",
        "language": "en",
        "instrument": "language_quality",
        "key": "k",
        "import": "",
        "like": "",
        "drop_metrics": "",
        "column_item": "item",
        "column_output": "output",
    },
    "annotate:import-takes": lambda _world: PLAN,
    "annotate:import-step": lambda _world: {
        **PLAN,
        "revision": "0",
        "go": "next",
        "use": "overall=0.4",
        "contact": "a@b.example",
        "budget": "20",
        "fee": "20",
        "max_judgments": "100",
        "deadline": "2030-01-01T00:00",
        "metric_columns": ["comet"],
        "crowd": "mturk",
        "bonus_after": "3",
        "open_link_bonus": "on",
        "public_title": "Rate news",
        "public_about": "You read news.",
        "instructions": "Judge as an editor.",
        "consent": "You may stop.",
        "ethics": "ERB 17",
    },
    "annotate:import": lambda _world: {"act": "use", "revision": "0", "metric": "comet"},
    "annotate:expert-release": lambda _world: {
        "name": "Ann",
        "why": "Ill.",
        "replacement": "Bob",
    },
    "annotate:texts": lambda world: {
        "public_title": "Rate news",
        "public_about": "You read news.",
        "contact": "ada@example.org",
        "instructions": "Judge as an editor.",
        "consent": "You may stop.",
        "reason": "Shorter.",
        "revision": studies_queries.amended_texts_of(world.link).revision,
    },
    "annotate:instrument-new": lambda _world: {"definition": json.dumps(every_kind())},
    "annotate:instrument-draft": lambda _world: {"definition": json.dumps(helpful())},
    "annotate:instrument-form": lambda _world: {
        "act": "save",
        "label": "Politeness",
        "key": "polite",
        "language": "en",
        "task": "Rate it.",
        "about": "You rate.",
        "hint": "Be fair.",
        "minutes": "1",
        "input_label": "Question",
        "steps": "Read.\nRate.",
        "compares": "on",
        "shows_others": "on",
        "c": "4",
        "s": "1",
        "c1-kind": "errors",
        "c1-label": "Errors",
        "c1-question": "Where?",
        "c1-per": "text",
        "c1-kn": "1",
        "c1-k0-label": "Grammar",
        "c1-k0-group": "Language",
        "c1-k0-name": "grammar",
        "c1-vn": "1",
        "c1-v0-label": "Bad",
        "c1-v0-weight": "2",
        "c1-v0-removed": "1",
        "c2-kind": "choices",
        "c2-label": "Flaws",
        "c2-question": "Which?",
        "c2-on": "1",
        "c2-o0-label": "Rude",
        "c2-o0-cue": "It offends",
        "c3-kind": "slider",
        "c3-label": "Quality",
        "c3-question": "How good?",
        "c3-left": "Bad",
        "c3-right": "Good",
        "c3-only_question": "politeness",
        "c3-only_values": "1 -1",
        "c3-only_hidden": "0",
        "c0-label": "Politeness",
        "c0-name": "politeness",
        "c0-question": "How polite?",
        "c0-evidence": "Mark it.",
        "c0-balance": "0.1",
        "c0-person_share": "0.1",
        "c0-lower": "on",
        "c0-ln": "2",
        "c0-l0-value": "1",
        "c0-l0-label": "Polite",
        "c0-l0-cue": "Kind.",
        "c0-l0-requires": "edit",
        "c0-l1-value": "-1",
        "c0-l1-label": "Rude",
        "c0-l1-cue": "Unkind.",
        "s0-title": "Read it",
        "s0-text": "All of it.",
        "s0-kept": '[{"label": "Polite", "text": "Thanks."}]',
        "edit-title": "Mend it",
        "example-text": "Thanks.",
        "example-second": "No.",
        "example-input": "Why?",
        "example-paragraphs": '["One."]',
    },
    "annotate:tutorials": lambda _world: {"definition": json.dumps(tutorial())},
    "annotate:tutorial-draft": lambda _world: {
        "definition": json.dumps(tutorial()),
        "question": "2",
    },
    "annotate:tutorial-form": lambda _world: {
        "act": "save",
        "about": "fluency",
        "n": "2",
        "title": "Ours",
        "version": "1",
        "language": "en",
        "asked": "1",
        "shared": '{"slots": {"town": ["Ashby"]}}',
        "q0-kept": json.dumps(tutorial()["questions"][0]),
        "q1-key": "q1",
        "q1-criterion": "fluency",
        "q1-section": "Fluency",
        "q1-prompt": "Read.",
        "q1-text": "Is well written.",
        "q1-right": "1",
        "q1-why_1": "Right.",
        "q1-why_0": "No.",
        "q1-why_-1": "No.",
    },
    "annotate:people": lambda _world: {"names": "Ann\nBob"},
    "annotate:members": lambda _world: {"role": "viewer", "most_uses": "1", "days": "7"},
    "annotate:notifications": lambda _world: {
        "channel": "webhook",
        "url": "https://example.org/",
        "events": "closed",
    },
    "annotate:member-role": lambda _world: {"role": "reviewer"},
    "annotate:account-settings": lambda _world: {"time_zone": "Europe/Berlin", "language": "de"},
    "annotate:account-email": lambda _world: {"email": "a@example.org", "password": "wrong"},
    "annotate:token-new": lambda _world: {
        "name": "Export",
        "days": "30",
        "password": "long enough to be fine",
    },
    "annotate:password-forgotten": lambda _world: {"email": "a@example.org"},
    "annotate:invitation": lambda _world: {"username": "zoe", "password": "p", "again": "p"},
    "annotate:act": lambda _world: {"why": "More people."},
    "annotate:gold": lambda _world: {
        "act": "share",
        "share": "3",
        "answer": "overall=1",
        "definition": "[]",
        "key": "a",
        "shown": "a",
    },
    "annotate:pay-give": lambda world: {
        "kind": "bonus",
        "annotator": world.facts["pseudonym"],
        "amount": "1.00",
        "reason": "Thank you.",
        "key": "1",
        "beyond_budget": "on",
    },
    "annotate:payout-undo": lambda world: {
        "annotator": world.facts["pseudonym"],
        "reason": "It bounced.",
    },
    "annotate:review-rule": lambda _world: {
        "choice": "exclude",
        "reason": "Too fast.",
        "seen": "0",
        "confirmed": "on",
    },
    "annotate:review-dismiss": lambda _world: {"answer": "It stays."},
    "annotate:review-everywhere": lambda world: {
        "campaign": world.link.public_id,
        "choice": "exclude",
        "reason": "Too fast.",
        f"seen-{world.link.public_id}": "0",
    },
    "annotate:batch-new": lambda _world: BATCH_FORM,
    "annotate:batch-extend": lambda _world: {
        "key": "k",
        "places": "2",
        "act": "extend",
        "confirmed": "1.92",
        "sure": "on",
    },
}


def mutations(body: Any, values: Callable[[], dict[str, Any]]) -> Any:
    """Yield (what, body) with each part replaced by its values; of a list, its first member."""
    yield from values().items()
    if isinstance(body, dict):
        for key, inner in body.items():
            for what, changed in mutations(inner, values):
                yield f"{key}.{what}", {**body, key: changed}
        yield "unknown", {**body, "no such field": 1}
    elif isinstance(body, list) and body:
        for what, changed in mutations(body[0], values):
            yield f"0.{what}", [changed, *body[1:]]
