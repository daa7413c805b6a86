"""Every verb of imports against every state of theirs."""

import pytest

from annotate.campaigns import imports
from annotate.models import (
    CampaignImport,
)
from tests.annotate.campaigns.test_import_running import ready
from tests.annotate.states import standing
from tests.annotate.states.trying import Moves, Verb, cases, done

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

OF_IMPORT: dict[str, tuple[Verb, Moves]] = {
    "run": (lambda of: imports.run(of.pk), {"reading": "ready", "creating": "done"}),
    "create": (
        lambda of: imports.create(of, revision=of.revision, actor_id=of.owner_id),
        {"ready": "creating"},
    ),
    "cancel": (
        lambda of: imports.cancel(of, actor_id=of.owner_id),
        dict.fromkeys(("reading", "refused", "ready", "creating", "failed"), "cancelled"),
    ),
    "retry": (
        lambda of: imports.retry(of, actor_id=of.owner_id),
        {"failed": "creating"},
    ),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_IMPORT, CampaignImport.Status))
def test_imports(verb: Verb, state: str, to: str):
    of = standing.put(ready(), state)
    before = len(standing.acts(of))
    done(verb, of)
    of.refresh_from_db()
    assert of.status == to
    assert (len(standing.acts(of)) > before) == (to != state)
