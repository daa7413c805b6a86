# Plumbline: `make help` explains the targets. Needs Python 3.11 or newer (with venv), nothing else.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
CROWD ?= link
# Twice the processors: browser tests wait for the page, and all for the database.
WORKERS ?= 4
DEBIAN := tests/annotate/work tests/estimation/refreshing tests/estimation/test_stopping_and_rulings.py tests/test_query_time.py
# Without its cache each test process compiles every test and the whole product again.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo demos serve test slow simulations debian hostile stories golden pages screenshots lint bench browser messages requirements

help:  ## Show what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# uv installs ten times faster than pip where it exists; both read the same pins.
define install
	@if command -v uv >/dev/null 2>&1; then uv pip install --python $(BIN)/python $(1); \
	else $(BIN)/python -m pip install --disable-pip-version-check --progress-bar on $(1); fi
endef

$(BIN)/python:
	@echo "Making a virtual environment in .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Plumbline needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv

.venv/runtime: requirements.txt | $(BIN)/python
	@echo "Installing what Plumbline runs on (once, one to two minutes)"
	$(call install,-r requirements.txt)
	@touch $@

.venv/dev: requirements-dev.txt .venv/runtime
	@echo "Installing what the tests need"
	$(call install,-r requirements.txt -r requirements-dev.txt)
	@touch $@

setup: .venv/runtime  ## Install what Plumbline runs on into .venv

setup-dev: .venv/dev

demo: setup  ## Watch a sample campaign collect and close itself (3 minutes; CROWD=mturk: through a stand-in)
	@$(BIN)/python manage.py demo --crowd $(CROWD)

serve: setup  ## Run Plumbline on this machine, with the processes that production has
	@$(BIN)/python manage.py serve --port $(PORT)

browser: setup-dev
	@$(BIN)/python -m tests.chromium

test: setup-dev  ## Run the quick tests on a real Postgres and Redis; others: make slow, make pages
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not browser and not slow and not simulation and not stories and not demos and not hostile and not golden"

pages: setup-dev browser  ## Use every page in a real Chromium, and check the accessibility of every state
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "browser and not slow and not demos"

slow: setup-dev browser  ## Run the slowest 10 %: upgrades, races, whole processes
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "slow and not simulation and not stories and not demos and not hostile"

simulations: setup-dev  ## Simulate what the statistics and the screens promise
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "simulation and not stories and not demos and not hostile"

debian: setup-dev  ## Run work, leasing and stopping on Debian's Postgres, which compiles slow queries (JIT)
	bash .ci/debian-postgres $(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not browser and not simulation" $(DEBIAN)

hostile: setup-dev  ## Try hostile values at every address
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m hostile

stories: setup-dev  ## Run hundreds of random stories between Plumbline and a crowd, and compare both sides
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m stories

golden: setup-dev  ## Fill campaigns of every kind and compare all that they say with records (RECORD=1: record)
	RECORD=$(RECORD) KEEP=$(KEEP) $(BIN)/python -m pytest -n 0 -q -m golden tests/golden

demos: setup-dev browser  ## Run whole campaigns, the demonstration included, from the launch to the last cent
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m demos

screenshots: setup-dev browser  ## Write a picture of every page and state to ./screenshots
	PICTURES=screenshots $(BIN)/python -m pytest -n 2 -q tests/browser/test_states.py

lint: setup-dev  ## Check style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates extras
	$(BIN)/biome lint .
	$(BIN)/mypy

bench: setup-dev  ## Measure how soon the last tasks come, and how pages and exports grow (bench/load, coverage, tutorials: by hand)
	$(BIN)/python -m bench.last_tasks
	$(BIN)/python -m bench.growth

messages: setup-dev  ## Collect what annotators read for translation, and compile it (needs GNU gettext)
	$(BIN)/python manage.py makemessages --locale de --no-wrap --add-location never \
		--ignore .venv --ignore tests --ignore extras --ignore var
	sed -i '/^"\(POT-Creation-Date\|Report-Msgid-Bugs-To\): /d' annotate/locale/de/LC_MESSAGES/django.po
	$(BIN)/python manage.py compilemessages --locale de --locale en --ignore .venv

requirements: setup-dev  ## Compile the pinned requirements from the .in files (needs uv)
	uv pip compile --universal --no-emit-index-url --python-version 3.11 requirements.in -o requirements.txt
	uv pip compile --universal --no-emit-index-url --python-version 3.11 requirements-dev.in -o requirements-dev.txt
