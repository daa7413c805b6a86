"""Pages about work."""

from django.urls import URLPattern

app_name = "annotate"
urlpatterns: list[URLPattern] = []
