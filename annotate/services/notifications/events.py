"""The events that people can subscribe to, and the acts behind them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CampaignEvent:
    """An event. means: as a part of a sentence. acts: the words of each act, by its verb."""

    key: str
    means: str
    acts: dict[str, str]


EVENTS = {
    event.key: event
    for event in (
        CampaignEvent(
            "closed",
            "the campaign is closed",
            {"finish": "The campaign is closed."},
        ),
        CampaignEvent(
            "decision",
            "collection stops or goes on by the stopping rule, for one system or for all",
            {
                "close": "The campaign stops collecting; what is in progress is finished.",
                "resume": "The campaign collects again: some interval is too wide after all.",
                "stop_system": "Collection stops for the system {system}.",
                "resume_system": "Collection goes on for the system {system}.",
            },
        ),
        CampaignEvent(
            "flag",
            "screens flag or list an annotator",
            {"flag": "Screens found something in the work of an annotator."},
        ),
        CampaignEvent(
            "budget",
            "80 % of the budget is spent or promised",
            {"budget_low": "80 % of the budget is spent or promised."},
        ),
        CampaignEvent(
            "status",
            "the campaign is opened, paused or opened again",
            {
                "open": "The campaign is open.",
                "pause": "The campaign is paused.",
                "reopen": "The campaign is open again.",
            },
        ),
    )
}
TEST = CampaignEvent("test", "a test", {"": "This is a test. It works."})
_BY_VERB = {verb: event for event in EVENTS.values() for verb in event.acts}


def of(verb: str) -> CampaignEvent | None:
    """Return the event of an act with this verb; None if it is not an event."""
    return _BY_VERB.get(verb)
