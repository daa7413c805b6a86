"""WSGI entry point: `gunicorn config.wsgi`."""

import os

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.celery import app, keep_what_is_loaded
from config.web.receiving import Alive

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = Alive(get_wsgi_application(), longest_body=settings.UPLOAD_LIMIT + 1024 * 1024)
if not settings.REDIS_URL:
    raise ImproperlyConfigured("REDIS_URL is not set: no worker would hear of anything.")
# Loaded now, so that the first page and the first submit do not wait for it.
list(get_resolver().url_patterns)
app.connection_for_write().get_transport_cls()
keep_what_is_loaded()
