"""People at the crowd: keep somebody out, let them in again, write to them."""

from annotate.crowds.base import Effect, Marketplace, Outcome
from annotate.models import Operation
from annotate.services.outbox.handlers import Handler, register

Kind = Operation.Kind


def _exclude(op: Operation, crowd: Marketplace) -> Outcome:
    return _set(op, crowd, excluded=True)


def _include(op: Operation, crowd: Marketplace) -> Outcome:
    return _set(op, crowd, excluded=False)


def _set(op: Operation, crowd: Marketplace, *, excluded: bool) -> Outcome:
    """The latest request counts: it waits for calls under way and replaces earlier requests."""
    same = Operation.objects.filter(
        kind__in=(Kind.EXCLUDE, Kind.INCLUDE),
        campaign=op.campaign_id,
        arguments__person=op.arguments["person"],
        arguments__group=op.arguments["group"],
    )
    if same.filter(pk__gt=op.pk).exists():
        return Outcome(Effect.ALREADY, message="Something else was decided since.")
    if same.filter(pk__lt=op.pk, status=Operation.Status.SENT).exists():
        return Outcome(Effect.RETRYABLE, "order", "It waits for an earlier change.")
    return crowd.set_excluded(op.arguments["person"], excluded, group=op.arguments["group"])


def _write(op: Operation, crowd: Marketplace) -> Outcome:
    return crowd.message(op.arguments["people"], op.arguments["subject"], op.arguments["text"])


def _nothing(op: Operation, outcome: Outcome) -> None:
    """There is no follow-up: the operation's row is enough."""


register(Kind.EXCLUDE, Handler(_exclude, _nothing, natural=True))
register(Kind.INCLUDE, Handler(_include, _nothing, natural=True))
# A message that comes twice does less harm than one that never comes.
register(Kind.MESSAGE, Handler(_write, _nothing, natural=True))
