"""A requester with an unmodified boto3 client, for tests of the stand-in."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2006-07-14/ExternalQuestion.xsd"
)
QUESTION = (
    f'<ExternalQuestion xmlns="{NAMESPACE}"><ExternalURL>{{}}</ExternalURL>'
    "<FrameHeight>0</FrameHeight></ExternalQuestion>"
)
TYPE: dict[str, Any] = {
    "Title": "Rate short texts",
    "Description": "Three questions about one text.",
    "Reward": "0.80",
    "AssignmentDurationInSeconds": 3600,
    "AutoApprovalDelayInSeconds": 3 * 86400,
    "Keywords": "rating, texts",
}
HIT: dict[str, Any] = {
    **TYPE,
    "LifetimeInSeconds": 86400,
    "MaxAssignments": 3,
    "Question": QUESTION.format("https://example.org/work?study=1&amp;part=2"),
}
BAD_CODE = "AWS.MechanicalTurk."


@contextmanager
def client(url: str, **config: Any) -> Iterator[Any]:
    made = boto3.client(
        "mturk",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="y",
        config=Config(**config),
    )
    try:
        yield made
    finally:
        made.close()


def hit(requester: Any, **changes: Any) -> dict[str, Any]:
    """Publish one and return it as the API shows it."""
    return requester.create_hit(**{**HIT, **changes})["HIT"]


def refused(call: Any, **arguments: Any) -> tuple[str, str]:
    """Return TurkErrorCode and message of a request that must be refused."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    answer = caught.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert answer["Error"]["Code"] == "RequestError"
    return answer["TurkErrorCode"].removeprefix(BAD_CODE), answer["Message"]
