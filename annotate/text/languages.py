"""Which language annotators are spoken to in.

One wording for all annotators of a campaign: what is asked, and how, decides how much they
differ. So the campaign decides, not the browser.
"""

from django.conf import settings
from django.utils.translation import get_supported_language_variant


def interface_language(content_language: str) -> str:
    """Return the content's language where there is a translation of it, else English."""
    try:
        return get_supported_language_variant(content_language)
    except LookupError:
        return settings.LANGUAGE_CODE
