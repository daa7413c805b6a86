"""Blocks, and messages to workers."""

from collections.abc import Mapping
from typing import Any

from extras.mturk_simulator.api.paging import page
from extras.mturk_simulator.state.errors import INVALID, OUT_OF_RANGE, RequestRefused
from extras.mturk_simulator.state.records import AssignmentState, WorkerBlock, WorkerNotice
from extras.mturk_simulator.state.world import World

Args = Mapping[str, Any]
Reply = dict[str, Any]
AT_ONCE = 100


def block(world: World, args: Args) -> Reply:
    worker = args["WorkerId"]
    world.blocks[worker] = WorkerBlock(worker, world.serial(), args["Reason"])
    return {}


def unblock(world: World, args: Args) -> Reply:
    """Lift a block. It succeeds for a worker who is not blocked."""
    world.blocks.pop(args["WorkerId"], None)
    return {}


def list_blocks(world: World, args: Args) -> Reply:
    rows, about = page(args, world.blocks.values(), lambda one: one.serial)
    blocks = [{"WorkerId": one.worker, "Reason": one.reason} for one in rows]
    return {"WorkerBlocks": blocks, **about}


def notify(world: World, args: Args) -> Reply:
    """Write to workers. Only those with approved or rejected work receive the message."""
    people = args["WorkerIds"]
    if not people:
        raise RequestRefused(INVALID, "WorkerIds is empty.")
    if len(people) > AT_ONCE:
        raise RequestRefused(OUT_OF_RANGE, f"At most {AT_ONCE} workers can be notified at once.")
    known = _known(world)
    for worker in dict.fromkeys(people):
        if worker in known:
            world.notices.append(
                WorkerNotice(worker, args["Subject"], args["MessageText"], world.now())
            )
    return {"NotifyWorkersFailureStatuses": [_failure(one) for one in people if one not in known]}


def _known(world: World) -> set[str]:
    decided = (AssignmentState.APPROVED, AssignmentState.REJECTED)
    every = [*world.assignments.values(), *world.earlier]
    return {one.worker for one in every if one.state in decided}


def _failure(worker: str) -> Reply:
    return {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "You have never approved or rejected work of this worker.",
        "WorkerId": worker,
    }
