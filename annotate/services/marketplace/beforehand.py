"""What people are told in a posting, before they accept work."""

from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.models import Campaign
from annotate.screening.signals import signals_on
from annotate.text.languages import interface_language


def told(description: str, campaign: Campaign) -> str:
    """Return a description of work that says, where it is so, what the page counts."""
    if not signals_on(campaign.screening):
        return description
    with override(interface_language(campaign.language)):
        said = _(
            "The page counts how you type and paste and how often you leave it, and notices "
            "accounts that share a network and a device. A person looks at your work before "
            "anything is decided. The counts are deleted 30 days after the study ends."
        )
    return description if said in description else f"{description.rstrip()} {said}".strip()
