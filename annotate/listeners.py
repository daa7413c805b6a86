"""Reacts to intended operations: asks a worker to carry them out."""

from typing import Any

from django.dispatch import receiver

from annotate.signals import operation_intended


@receiver(operation_intended)
def carry_out_soon(sender: Any, *, operation_id: int, **_signal: Any) -> None:
    from annotate.tasks import carry_out
    from config.celery import enqueue

    enqueue(carry_out, operation_id)
