"""All addresses: pages about work, pages about numbers, the REST API."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularAPIView

from config import api_reference
from config.health import readyz
from config.login import LogIn, LogInCode

api: list[URLPattern | URLResolver] = [
    path("", include("annotate.api_urls")),
    path("", include("estimation.api_urls")),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("reference/", api_reference.page, name="api-reference"),
]

handler400 = "config.requests.bad_request"
handler404 = "config.requests.not_found"
handler500 = "config.requests.server_error"
urlpatterns = [
    path("readyz", readyz),
    path("login/", LogIn.as_view(), name="login"),
    path("login/code/", LogInCode.as_view(), name="login-code"),
    path(
        "login/done/",
        TemplateView.as_view(template_name="registration/logged_in.html"),
        name="logged-in",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("api/v1/", include(api)),
    path("", include("annotate.urls")),
    path("", include("estimation.urls")),
]
