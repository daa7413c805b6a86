"""Beat sends the periodic tasks by name and does not load their code."""

from pathlib import Path

from celery.apps import beat
from django.conf import settings
from django.utils.log import configure_logging


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
