from django.apps import AppConfig


class ExtrasConfig(AppConfig):
    name = "extras"
    verbose_name = "Extras"
