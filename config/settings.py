"""Settings, from the environment, with secure defaults.

`manage.py serve` brings what `DATABASE_URL` and `REDIS_URL` do not name (see docs/operations.md).
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
import environ
from csp.constants import NONE, SELF

from annotate.crowds.adapters import CROWDS
from config.environment import caches, public_url, secret_key
from config.local import folder, servers
from config.workers import BACKGROUND, ROUTES, SCHEDULE

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
INSTALLED = not (BASE_DIR / "templates").is_dir()  # with pip, not run from a checkout
# Templates and static files, from the checkout or the package.
SHARE_DIR = BASE_DIR / "config" / "share" if INSTALLED else BASE_DIR
# Each instrument has its own pages and scripts, in folders of the same names.
INSTRUMENTS = BASE_DIR / "annotate" / "instruments"
HERE_VAR = (Path.cwd() if INSTALLED else BASE_DIR) / "var"
# The servers that root starts run as another user, who can reach this folder.
DEFAULT_VAR = Path("/var/lib/plumbline") if os.geteuid() == 0 else HERE_VAR
VAR_DIR = Path(env.str("PLUMBLINE_VAR", default=str(DEFAULT_VAR))).absolute()
# What a running `serve` tells: where its servers answer, and where people reach it.
_running = folder.told(VAR_DIR)

DEBUG = env.bool("DEBUG", default=False)
DATABASE_URL = env.str("DATABASE_URL", default="")
# Without one no worker runs, and nothing is sent: what is due is found in the database.
REDIS_URL = env.str("REDIS_URL", default=_running.get("redis", ""))
SECRET_KEY = secret_key(
    env.str("SECRET_KEY", default=""),
    own=not (DATABASE_URL and env.str("REDIS_URL", default="")),
    folder=VAR_DIR,
)

# The public address: sets hosts, links in invitations, and whether cookies need TLS.
LOCAL_URL = "http://localhost:8000"
PUBLIC_URL = public_url(env.str("PUBLIC_URL", default=_running.get("url", LOCAL_URL)))
_public = urlsplit(PUBLIC_URL)
TLS = _public.scheme == "https"
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=[_public.hostname or "localhost", "localhost", "127.0.0.1"]
)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
CSRF_FAILURE_VIEW = "annotate.common.requests.forged"
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("BEHIND_PROXY", default=False) else None
)
# How many proxies append to X-Forwarded-For. A client can write anything before that.
NUM_PROXIES = env.int("NUM_PROXIES", default=1 if SECURE_PROXY_SSL_HEADER else 0)
SECURE_SSL_REDIRECT = TLS
SECURE_REDIRECT_EXEMPT = [r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if TLS else 0
# Other services of the same domain are not Plumbline's decision.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = TLS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "django_htmx",
    "csp",
    "django_otp.plugins.otp_totp",
    "annotate",
    "estimation",
]
# The demonstration, the stand-in for MTurk and the replication of the paper; images leave it out.
if (BASE_DIR / "extras" / "apps.py").is_file():
    INSTALLED_APPS.append("extras")
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.requests.QueryTime",
    "config.requests.Gate",
    "annotate.common.numbers.dollars_at_first",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [
            SHARE_DIR / "templates",
            *sorted(INSTRUMENTS.glob("*/templates")),
            Path(django.__file__).parent / "contrib" / "admin" / "templates",
        ],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["annotate.templatetags.plumbline"],
        },
    }
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url_config(DATABASE_URL)
    if DATABASE_URL
    else {"ENGINE": "config.local.database", "NAME": servers.NAME, "USER": servers.NAME}
}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = env.bool("DATABASE_POOLED", default=False)
# A request does not wait for a silent database until the network times out.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
# Seconds that Postgres may work on one query of a request, and wait for one lock; 0: as long as the
# database allows. Workers, commands and downloads are not limited.
QUERY_SECONDS = env.float("QUERY_SECONDS", default=10)
LOCK_SECONDS = env.float("LOCK_SECONDS", default=3)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = caches(REDIS_URL)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "annotate.accounts.tokens.EndWithPassword"}]
AUTHENTICATION_BACKENDS = [
    "config.login.LimitedBackend",  # all logins
    "django.contrib.auth.backends.ModelBackend",  # the sessions of earlier versions
]
# Per account and address, in this time; docs/operations.md describes the effects.
LOGIN_TRIES = env.int("LOGIN_TRIES", default=10)
LOGIN_MINUTES = env.int("LOGIN_MINUTES", default=15)
# annotate/accounts/second_factor.py limits guesses; clocks may be half a minute off at most.
OTP_TOTP_THROTTLE_FACTOR, OTP_TOTP_SYNC = 0, False
OTP_TOTP_ISSUER = f"Plumbline {_public.hostname}"
LOGIN_URL = LOGOUT_REDIRECT_URL = "login"
LOGIN_REDIRECT_URL = "annotate:campaigns"

# Mails of invitations and of new passwords; without it, pages and commands show the links.
EMAIL_URL = env.str("EMAIL_URL", default="")
SENDS_MAIL = bool(EMAIL_URL)
globals().update(env.email_url_config(EMAIL_URL or "dummymail://"))
EMAIL_TIMEOUT = 10  # seconds that a worker waits for the mail server
PRIVATE_WEBHOOKS = env.bool("PRIVATE_WEBHOOKS", default=False)  # to private addresses, by http
DEFAULT_FROM_EMAIL = env.str("FROM_EMAIL", default=f"plumbline@{_public.hostname or 'localhost'}")
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60  # seconds that a link for a new password is good

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
# What annotators read (annotate/common/text.py); researchers' pages are in English.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "annotate" / "locale"]

STATIC_URL = "static/"
STATICFILES_DIRS = [SHARE_DIR / "static", *sorted(INSTRUMENTS.glob("*/static"))]
# Served from the sources, without a collect step.
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 0 if DEBUG else 600
# Worker pages may have an opaque origin (sandboxed iframe), to which every module is foreign.
WHITENOISE_ALLOW_ALL_ORIGINS = True

# Newcomers by a campaign's open link within ten minutes; 0: unlimited. A university may have one
# address.
JOINS_PER_ADDRESS = env.int("JOINS_PER_ADDRESS", default=500)
JOINS_PER_CAMPAIGN = env.int("JOINS_PER_CAMPAIGN", default=1000)
# How long the text submitted last can be corrected, and a unit that is done waits for it; 0: never.
CORRECTION = timedelta(minutes=max(0, env.int("CORRECTION_MINUTES", default=5)))
HAND_IN_WAIT = timedelta(seconds=max(0, env.int("HAND_IN_SECONDS", default=20)))

# Crowds (docs/crowds.md). AWS credentials: environment, profile or role. Each crowd declares the
# names of its settings in `annotate/crowds/adapters.py`.
for _crowd in CROWDS.values():
    for _name, _default in _crowd.settings.items():
        globals()[_name] = env.str(_name, default=_default)
# Per crowd and environment. Calls over the limit are sent in the next second.
CROWD_CALLS_PER_SECOND = env.int("CROWD_CALLS_PER_SECOND", default=10)
# After a unit's deadline: clocks differ, and crowds list submissions with a delay.
CROWD_GRACE = timedelta(minutes=env.int("CROWD_GRACE_MINUTES", default=30))

# For forms and API calls; the command line has no limit.
UPLOAD_LIMIT = env.int("UPLOAD_LIMIT_MB", default=50) * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "config.requests.RoomyUploadHandler",
]

CELERY_BROKER_URL = REDIS_URL or "redis://redis-url-is-not-set"  # a worker says so
# A worker without --queues takes both.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"celery": {}, BACKGROUND: {}}
CELERY_TASK_ROUTES = ROUTES
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A hanging task is stopped, first by an exception and then by ending its process, and its work is
# done again. The limit is below the visibility timeout; otherwise another worker would start it
# too.
CELERY_TASK_TIME_LIMIT = env.int("TASK_SECONDS", default=300)
CELERY_TASK_SOFT_TIME_LIMIT = max(1, CELERY_TASK_TIME_LIMIT * 4 // 5)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # A submit waits for these at most once (config.celery.enqueue): 0.3 s to connect, 0.4 s for
    # an answer, no second try. Without max_retries, kombu would try endlessly.
    "socket_connect_timeout": 0.3,
    "socket_timeout": 0.4,
    "max_retries": 0,
    "visibility_timeout": max(600, 2 * CELERY_TASK_TIME_LIMIT),
}
# Judgments of a campaign that come faster than this share a refresh of its estimates.
REFRESH_SECONDS = env.float("REFRESH_SECONDS", default=1.0)
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = SCHEDULE

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotate.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "annotate.campaigns.parsers.JsonParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "EXCEPTION_HANDLER": "annotate.common.api.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Plumbline",
    "DESCRIPTION": "Human evaluation of text generation at the lowest honest cost.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotate.common.api.described",
    ],
    "ENUM_NAME_OVERRIDES": {
        f"{name}Enum": f"annotate.models.base.{name}" for name in ("CampaignStatus", "Estimand")
    },
}

LOGGING_CONFIG = "config.logs.configure"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    # Clients are told of their errors. No log goes by mail as in Django: it has the whole request.
    "loggers": {"django": {"handlers": []}, "django.request": {"level": "ERROR"}},
}
