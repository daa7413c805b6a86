"""What people on a crowd see who open a posting, for the researcher who is about to launch it."""

from datetime import timedelta

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate import tokens
from annotate.selectors.work import task_page as work
from annotate.selectors.work import units
from annotate.views.work import entry
from annotate.views.work.access import speak, worker_page

OWN_FRAME = {"frame-ancestors": ["'self'"], "form-action": ["'none'"]}


@csp_replace(OWN_FRAME)
@worker_page
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the crowd's own preview, framed by ours alone; who has the token may see it."""
    campaign_id, tasks = tokens.read_preview(token)
    study = work.study(campaign_id)
    speak(study)
    offer = units.Offer(campaign_id, study.crowd, tasks, study.reward * tasks, timedelta(0))
    return entry.preview(request, study, offer)
