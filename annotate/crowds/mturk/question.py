"""MTurk's XML: the question that frames our page, and the submitted answers."""

from xml.etree.ElementTree import (
    Element,
    ParseError,
    SubElement,
    TreeBuilder,
    XMLParser,
    tostring,
)

SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
RECEIPT = "receipt"  # the field of the form that submits the work


def question_xml(url: str) -> str:
    """Return the question of a posting: our page at `url`, as high as the worker's window."""
    question = Element("ExternalQuestion", xmlns=SCHEMA)
    SubElement(question, "ExternalURL").text = url
    SubElement(question, "FrameHeight").text = "0"
    return tostring(question, encoding="unicode")


def receipt_in(answers: str) -> str:
    """Return our nonce from what a worker's browser submitted, or "".

    A worker can submit anything. Unreadable answers have no receipt, so they are not taken for
    ours. Document types are refused, and with them entities that they define.
    """
    parser = XMLParser(target=_Plain())  # noqa: S314
    try:
        parser.feed(answers)
        root: Element = parser.close()
    except (ParseError, _Forbidden):
        return ""
    for answer in root.iterfind("{*}Answer"):
        if (answer.findtext("{*}QuestionIdentifier") or "").strip() == RECEIPT:
            return (answer.findtext("{*}FreeText") or "").strip()
    return ""


class _Forbidden(Exception):
    pass


class _Plain(TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise _Forbidden
