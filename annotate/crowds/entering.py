"""How people come in from a crowd, and how they leave: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """Who somebody says they are.

    By link: the campaign, and the person (without one, the landing page asks for a name). From a
    marketplace: our posting, the crowd's name of it (`listing`: HITId, STUDY_ID), of the person,
    and of the paid unit (`unit`: assignmentId, SESSION_ID); `submit_to`: where it is handed in.
    """

    campaign_id: int = 0
    person: str = ""
    posting: str = ""
    listing: str = ""
    unit: str = ""
    submit_to: str = ""


@dataclass(frozen=True)
class Preview:
    """Somebody looks at a posting before accepting it."""

    posting: str


@dataclass(frozen=True)
class InvalidEntry:
    """This way in is refused, and why; `status` is the HTTP status."""

    message: str
    status: int


@dataclass(frozen=True)
class Leaving:
    """Who has finished a paid unit: what its completion is made of."""

    pseudonym: str
    unit: str = ""
    submit_to: str = ""
    receipt: str = ""  # our nonce: comes back with what the crowd lists as submitted
    code: str = ""  # the completion code of its posting


@dataclass(frozen=True)
class Done:
    """Nothing more to do at the crowd's end; the code is what the annotator may quote."""

    code: str


@dataclass(frozen=True)
class FormPost:
    """The work is handed in by posting this form, from the page itself."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Redirect:
    """The work is handed in by going there."""

    url: str


Completion = Done | FormPost | Redirect


@dataclass(frozen=True)
class FramePolicy:
    """Where the crowd shows our pages, and where it lets their forms go."""

    frame_ancestors: tuple[str, ...]
    form_action: tuple[str, ...]

    @property
    def directives(self) -> dict[str, list[str]]:
        return {
            "frame-ancestors": list(self.frame_ancestors),
            "form-action": list(self.form_action),
        }
