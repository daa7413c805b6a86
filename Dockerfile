# One image for web, worker, beat and migrate; docker-compose.yml says who runs what.
FROM python:3.11.13-slim-bookworm

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PLUMBLINE_VAR=/var/lib/plumbline

RUN useradd --system --uid 10001 --home-dir /var/lib/plumbline --create-home plumbline
WORKDIR /app
COPY requirements.txt .
RUN pip install --disable-pip-version-check -r requirements.txt
COPY manage.py ./
COPY config config
COPY annotate annotate
COPY estimation estimation
COPY templates templates
COPY static static
# Beside each file a compressed one, which whitenoise sends to who takes it.
RUN python -m whitenoise.compress --quiet static
RUN for own in annotate/instruments/*/static; do python -m whitenoise.compress --quiet $own; done

USER plumbline
EXPOSE 8000
# /dev/shm: gunicorn's heartbeat must not wait for a slow disk. No access log: worker links are
# secrets in addresses.
CMD ["gunicorn", "config.wsgi", "--bind=0.0.0.0:8000", "--workers=2", "--threads=4", \
     "--timeout=120", "--worker-tmp-dir=/dev/shm", "--no-control-socket"]
