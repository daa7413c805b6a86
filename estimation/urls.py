"""Pages about numbers."""

from django.urls import URLPattern

app_name = "estimation"
urlpatterns: list[URLPattern] = []
