"""What the screens find. Their sentences can be translated, so Django has settings, its defaults."""

from django.conf import settings

if not settings.configured:
    settings.configure()
