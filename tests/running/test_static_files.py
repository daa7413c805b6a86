"""Static files are sent compressed, by what the image's Dockerfile does at build."""

import gzip
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def built(tmp_path: Path, settings) -> Path:
    """The static files as they are in the image."""
    shutil.copytree(ROOT / "static", tmp_path / "static")
    step = next(
        line.removeprefix("RUN python ")
        for line in (ROOT / "Dockerfile").read_text().splitlines()
        if line.startswith("RUN") and "whitenoise.compress" in line
    )
    subprocess.run([sys.executable, *shlex.split(step)], cwd=tmp_path, check=True)
    settings.STATICFILES_DIRS = [tmp_path / "static"]
    return tmp_path / "static"


def get(path: str, accepted: str) -> tuple[HttpResponse, bytes]:
    request = HttpRequest()
    request.method, request.path_info = "GET", f"/static/{path}"
    request.META["HTTP_ACCEPT_ENCODING"] = accepted
    answer = WhiteNoiseMiddleware(lambda _request: HttpResponse(status=404))(request)
    body = b"".join(answer)
    answer.close()
    return answer, body


@pytest.mark.django_db  # the end of an answer looks at the connection, where there is one
@pytest.mark.parametrize("path", ["js/shell.js", "css/base.css"])
def test_scripts_and_styles_are_sent_compressed_to_who_takes_it(built, path):
    whole = (built / path).read_bytes()
    answer, body = get(path, "gzip, br")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(body) < len(whole) / 2
    assert gzip.decompress(body) == whole
    plain, body = get(path, "identity")
    assert "Content-Encoding" not in plain.headers
    assert body == whole
