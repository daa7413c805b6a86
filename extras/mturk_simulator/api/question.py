"""The two XML documents: the requester's question, and the submitted answers."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit
from xml.etree import ElementTree as ET

from extras.mturk_simulator.state.errors import BAD_XML, INVALID, OUT_OF_RANGE, RequestRefused

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
QUESTION = SCHEMAS + "2006-07-14/ExternalQuestion.xsd"
ANSWERS = SCHEMAS + "2005-10-01/QuestionFormAnswers.xsd"
BYTES_AT_MOST = 65_535
# Amazon accepts only https; local addresses are allowed here for trials.
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def external_url(question: str) -> str:
    """Return the address in an ExternalQuestion; refuses invalid documents."""
    if len(question.encode()) > BYTES_AT_MOST:
        raise RequestRefused(OUT_OF_RANGE, f"Question is larger than {BYTES_AT_MOST} bytes.")
    root = _parse(question)
    names = [child.tag for child in root]
    wanted = [f"{{{QUESTION}}}ExternalURL", f"{{{QUESTION}}}FrameHeight"]
    if root.tag != f"{{{QUESTION}}}ExternalQuestion" or names != wanted:
        message = "This stand-in takes an ExternalQuestion with ExternalURL and FrameHeight only."
        raise RequestRefused(BAD_XML, message)
    url, height = ((child.text or "").strip() for child in root)
    if not height.isascii() or not height.isdigit():
        raise RequestRefused(BAD_XML, "FrameHeight is not a number.")
    _check_url(url)
    return url


def _parse(text: str) -> ET.Element:
    if "<!DOCTYPE" in text:
        raise RequestRefused(BAD_XML, "Question must not declare a document type.")
    try:
        return ET.fromstring(text)  # noqa: S314 without a document type there are no entities
    except ET.ParseError as error:
        raise RequestRefused(BAD_XML, f"Question is not well-formed XML: {error}")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise RequestRefused(INVALID, "ExternalURL is not an address.")
    local = parts.scheme == "http" and parts.hostname in LOCAL_HOSTS
    if not parts.hostname or not (parts.scheme == "https" or local):
        raise RequestRefused(INVALID, "ExternalURL must begin with https://")


def framed(url: str, parameters: Mapping[str, str]) -> str:
    """Return the address with our parameters after its own."""
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, urlencode(parameters)]))
    return urlunsplit(parts._replace(query=query))


def answers(fields: Mapping[str, Sequence[str]]) -> str:
    """Return the QuestionFormAnswers document of a form's fields."""
    root = ET.Element("QuestionFormAnswers", xmlns=ANSWERS)
    for name, values in fields.items():
        answer = ET.SubElement(root, "Answer")
        ET.SubElement(answer, "QuestionIdentifier").text = _printable(name)
        ET.SubElement(answer, "FreeText").text = _printable("|".join(values))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _printable(text: str) -> str:
    """Leave out characters that XML cannot hold."""
    return "".join(sign for sign in text if sign in "\t\n\r" or _in_xml(ord(sign)))


def _in_xml(point: int) -> bool:
    return 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point >= 0x10000
