"""A client for Plumbline: human evaluation of text generation, from a file to an interval."""

from plumbline_client.client import Plumbline
from plumbline_client.errors import (
    AnswerError,
    BadSignature,
    Conflict,
    NotAllowed,
    NotFound,
    PlumblineError,
    Refused,
    RowProblem,
    ServerFailed,
    TooLarge,
    TooManyRequests,
    UnexpectedAnswer,
    Unreachable,
)
from plumbline_client.gold import Gold, GoldItem, GoldState
from plumbline_client.instruments import Criterion, Instrument, Instruments, Tutorial
from plumbline_client.money import Account, Batch, Batches, Offer, Pay, PayoutLine
from plumbline_client.rows import (
    Act,
    Campaign,
    Comparison,
    Estimate,
    Import,
    Judgment,
    Subscription,
)
from plumbline_client.screens import Amendment, Screens, ScreenSettings
from plumbline_client.webhooks import webhook

__all__ = [
    "Account",
    "Act",
    "Amendment",
    "AnswerError",
    "BadSignature",
    "Batch",
    "Batches",
    "Campaign",
    "Comparison",
    "Conflict",
    "Criterion",
    "Estimate",
    "Gold",
    "GoldItem",
    "GoldState",
    "Import",
    "Instrument",
    "Instruments",
    "Judgment",
    "NotAllowed",
    "NotFound",
    "Offer",
    "Pay",
    "PayoutLine",
    "Plumbline",
    "PlumblineError",
    "Refused",
    "RowProblem",
    "ScreenSettings",
    "Screens",
    "ServerFailed",
    "Subscription",
    "TooLarge",
    "TooManyRequests",
    "Tutorial",
    "UnexpectedAnswer",
    "Unreachable",
    "webhook",
]
