"""A client for Plumbline: human evaluation of text generation, from a file to an interval."""

from plumbline_client.client import Plumbline
from plumbline_client.errors import (
    AnswerError,
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
from plumbline_client.rows import Campaign, Comparison, Estimate, Import, Judgment

__all__ = [
    "AnswerError",
    "Campaign",
    "Comparison",
    "Conflict",
    "Estimate",
    "Import",
    "Judgment",
    "NotAllowed",
    "NotFound",
    "Plumbline",
    "PlumblineError",
    "Refused",
    "RowProblem",
    "ServerFailed",
    "TooLarge",
    "TooManyRequests",
    "UnexpectedAnswer",
    "Unreachable",
]
