"""WSGI entry point: `gunicorn config.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from config.celery import app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Loaded now, so that the first submit does not wait for it.
app.connection_for_write().get_transport_cls()
