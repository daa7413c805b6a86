"""The first items of an uploaded file, as annotators will see them: nothing is stored."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.errors import NotFound
from annotate.instruments import side_by_side
from annotate.instruments.base import Material
from annotate.permissions import own_import, researcher_page
from annotate.selectors.studies import instruments
from annotate.selectors.work import tutorial_runs
from annotate.services.campaigns.importing import stored
from annotate.services.campaigns.importing.first_items import first_items
from annotate.text.languages import interface_language
from annotate.views.work.pages import show_example


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, import_id: str, number: int) -> HttpResponseBase:
    """The task page with one output of the item of this number, from 1."""
    of = own_import(request.user, import_id)
    plan = stored.asked_of(of)
    instrument = instruments.named(plan.instrument)
    items = first_items(of, compares=instrument.compares)
    if not 0 < number <= len(items):
        raise NotFound(f"The preview shows the first {len(items)} items of the file.")
    first = items[number - 1]
    shown = tutorial_runs.preview_study(instrument, language=plan.language)
    row = first.row
    material = Material(row.output, input=row.input, paragraphs=row.paragraphs)
    if instrument.shows_others:
        material = side_by_side.with_others(material, first.others)
    with translation.override(interface_language(plan.language)):
        return show_example(
            request,
            shown,
            why=_("This is an example, so it is not sent and earns nothing."),
            links=_links(of, number, len(items)),
            material=material,
        )


def _links(of: Any, number: int, last: int) -> list[tuple[str, str]]:
    """Return the label and address of the items beside this one, and of the step."""
    beside = [n for n in (number - 1, number + 1) if 0 < n <= last]
    found = [
        (f"Item {n} of {last}", reverse("annotate:import-item", args=[of.public_id, n]))
        for n in beside
    ]
    step = reverse("annotate:import-step", args=[of.public_id, "questions"])
    return [*found, ("Back to the questions", step)]
