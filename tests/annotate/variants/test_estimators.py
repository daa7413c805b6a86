"""An estimator that is registered with one line serves the library, the command and the pages."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command, load_command_class

from estimation.core import REGISTERED, InvalidOptionError, Sample, Scale, estimate
from tests.annotate.variants.coin import COIN

ROWS = [(i, j, float((i + j) % 3)) for i in range(12) for j in range(2)]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTERED, COIN.key, COIN)


def sample() -> Sample:
    item, annotator, score = (np.array(column) for column in zip(*ROWS, strict=True))
    return Sample(
        item=item, annotator=annotator, score=score, n_population=20, scale=Scale(0.0, 2.0)
    )


def test_the_library_knows_it_and_names_it_among_others() -> None:
    found, same = (estimate(sample(), estimator=name) for name in ("coin", "balanced"))
    assert found.interval(0.95) == same.interval(0.95)
    assert found.method.estimator == "coin"
    with pytest.raises(InvalidOptionError, match="ppi, coin"):
        estimate(sample(), estimator="dice")
    with pytest.raises(InvalidOptionError, match="two-way interval only"):
        estimate(sample(), estimator="coin", interval="iid")


def test_the_command_takes_it_and_tells_its_notice(tmp_path: Path) -> None:
    helped = load_command_class("estimation", "estimate").create_parser("", "estimate")
    assert "coin" in helped.format_help()
    file = tmp_path / "judgments.csv"
    lines = [f"s,{i},{j},overall,{score}" for i, j, score in ROWS]
    file.write_text("\n".join(["system,item,annotator,criterion,score", *lines]))
    given = ["--judgments", str(file), "--scale", "0", "2", "--estimator", "coin"]
    for asked in (["--json"], []):
        out = io.StringIO()
        call_command("estimate", *given, *asked, stdout=out)
        assert "coin" in out.getvalue()
        assert "This estimate was tossed." in out.getvalue()
        assert not asked or json.loads(out.getvalue())[0]["estimator"] == "coin"
