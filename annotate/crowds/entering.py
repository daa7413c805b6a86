"""How people enter from a crowd, and how they leave: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A person's claim of identity.

    By link: the campaign, and the person (without one, the landing page asks for a name).
    From a marketplace: our posting, and the crowd's names of the posting (`listing`: HITId,
    STUDY_ID), of the person, and of the paid unit (`unit`: assignmentId, SESSION_ID). `submit_to`:
    where it is submitted.
    """

    campaign_id: int = 0
    person: str = ""
    posting: str = ""
    listing: str = ""
    unit: str = ""
    submit_to: str = ""
    links: int = 0  # by link: the number of the campaign's links


@dataclass(frozen=True)
class Preview:
    """A person looks at a posting before accepting it."""

    posting: str


@dataclass(frozen=True)
class InvalidEntry:
    """This entry is refused, with the reason; `status` is the HTTP status."""

    message: str
    status: int


@dataclass(frozen=True)
class Leaving:
    """A person who has finished a paid unit, with the values that its completion needs."""

    pseudonym: str
    unit: str = ""
    submit_to: str = ""
    receipt: str = ""  # our nonce, which the crowd returns with the submission
    code: str = ""  # the completion code of its posting


@dataclass(frozen=True)
class Done:
    """There is nothing more to do at the crowd; the annotator may quote the code."""

    code: str


@dataclass(frozen=True)
class FormPost:
    """The page submits the work by posting this form."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Redirect:
    """The work is submitted by visiting this address."""

    url: str


Completion = Done | FormPost | Redirect


@dataclass(frozen=True)
class FramePolicy:
    """Where the crowd frames our pages, and where it lets their forms send data."""

    frame_ancestors: tuple[str, ...]
    form_action: tuple[str, ...]

    @property
    def directives(self) -> dict[str, list[str]]:
        return {
            "frame-ancestors": list(self.frame_ancestors),
            "form-action": list(self.form_action),
        }
