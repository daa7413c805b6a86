"""The workers and beat."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from celery.apps import beat
from django.conf import settings
from django.utils.log import configure_logging

# Beat sends the periodic tasks by name and does not load their code.


class Beat(beat.Beat):
    """Celery's beat without the tasks' code, which needs 200 MB."""

    def init_loader(self) -> None:
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        self.app.finalize()
        _make_folder(Path(self.schedule).parent)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SystemExit(
            f"beat cannot create {folder} for its schedule: {error.strerror}. "
            "Set PLUMBLINE_VAR to a folder that it may write to."
        ) from None


# What beat sends to the workers, how often, and what waits in a queue of its own.


def _every(seconds: int, task: str) -> dict[str, Any]:
    """Return an entry of beat's schedule.

    A task that no worker has started when the next one is sent is dropped: it need not run again.
    """
    return {"task": task, "schedule": timedelta(seconds=seconds), "options": {"expires": seconds}}


SCHEDULE: dict[str, dict[str, Any]] = {
    "expire-leases": _every(30, "annotate.tasks.expire_leases"),
    "add-up": _every(60, "annotate.tasks.add_up"),
    "stop-expired": _every(60, "annotate.tasks.stop_expired"),
    "carry-out-due": _every(10, "annotate.tasks.carry_out_due"),
    "reconcile": _every(30, "annotate.tasks.reconcile"),
    "run-imports": _every(5, "annotate.tasks.run_imports"),
    "clear-drafts": _every(60, "annotate.tasks.clear_drafts"),
    "keep-verdicts": _every(15, "annotate.tasks.keep_verdicts"),
    "keep-work-times": _every(60, "annotate.tasks.keep_work_times"),
    "calibrate-screens": _every(20, "annotate.tasks.calibrate_screens"),
    "look-at-gold": _every(60, "annotate.tasks.look_at_gold"),
    "look-at-signals": _every(60, "annotate.tasks.look_at_signals"),
    "send-mails": _every(15, "annotate.tasks.send_mails"),
    "send-notifications": _every(15, "annotate.tasks.send_notifications"),
    "forget-answers": _every(300, "annotate.tasks.forget_answers"),
    "score-waiting": _every(5, "annotate.tasks.score_waiting"),
    "estimate-old-evidence": _every(5, "estimation.tasks.catch_up"),
    "measure-agreement": _every(10, "estimation.tasks.measure_due"),
    "thin-histories": _every(300, "estimation.tasks.thin_histories"),
    "forecast-ends": _every(10, "estimation.tasks.forecast_ends_due"),
    "note-advice": _every(60, "estimation.tasks.note_advice"),
    "look-closer": _every(10, "estimation.tasks.look_closer_due"),
}

# What may take seconds or minutes waits apart, so that estimates and stopping do not wait for it.
BACKGROUND = "background"
LONG = (
    "annotate.tasks.calibrate_screens",
    "annotate.tasks.clear_drafts",
    "annotate.tasks.keep_verdicts",
    "annotate.tasks.keep_work_times",
    "annotate.tasks.look_at_gold",
    "annotate.tasks.look_at_signals",
    "annotate.tasks.run_import",
    "annotate.tasks.run_imports",
    "annotate.tasks.score_waiting",
    "annotate.tasks.send_notifications",
    "annotate.tasks.send_notifications_of",
    "estimation.tasks.measure_agreement",
    "estimation.tasks.measure_due",
    "estimation.tasks.forecast_end",
    "estimation.tasks.forecast_ends_due",
    "estimation.tasks.look_closer",
    "estimation.tasks.look_closer_due",
    "estimation.tasks.note_advice",
    "estimation.tasks.thin_histories",
)
ROUTES: dict[str, dict[str, str]] = {task: {"queue": BACKGROUND} for task in LONG}
