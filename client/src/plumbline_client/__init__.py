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
from plumbline_client.money import Account, Batch, Batches, Offer, Pay, PayoutLine
from plumbline_client.rows import Campaign, Comparison, Estimate, Import, Judgment, Subscription
from plumbline_client.webhooks import webhook

__all__ = [
    "Account",
    "AnswerError",
    "BadSignature",
    "Batch",
    "Batches",
    "Campaign",
    "Comparison",
    "Conflict",
    "Estimate",
    "Gold",
    "GoldItem",
    "GoldState",
    "Import",
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
    "ServerFailed",
    "Subscription",
    "TooLarge",
    "TooManyRequests",
    "UnexpectedAnswer",
    "Unreachable",
    "webhook",
]
