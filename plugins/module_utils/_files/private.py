# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that only their owner can read, such as secrets and completions. Each write replaces the file atomically."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import grp
import itertools
import json
import os
import pwd
import secrets
import stat
import tempfile
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import SecretMasker
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, mask_secrets

# JSON can contain lone surrogates, which UTF-8 cannot encode. They are written as escapes
_ENCODING_ERRORS = "backslashreplace"


@dataclasses.dataclass(frozen=True)
class Target:
    """A file to write, with its owner, group and mode.

    If owner, group or mode is `None`, that of the existing file is kept. A new file gets mode 0600.

    :ivar owner: user name or ID
    :ivar group: group name or ID
    :ivar mode: octal digits, such as `0640`
    """

    path: str
    owner: str | None = None
    group: str | None = None
    mode: str | None = None

    @classmethod
    def from_options(cls, task: Task, path: str) -> Target:
        """Return a target with the options `owner`, `group` and `mode` of a task."""
        return cls(path, **task.select("owner", "group", "mode"))

    def replace(
        self,
        chunks: t.Iterable[bytes],
        *,
        default_mode: int = 0o600,
        verify: t.Callable[[], None] = lambda: None,
    ) -> None:
        """Replace the content of the file.

        :arg default_mode: mode of a new file, before the umask is applied
        :arg verify: called before the old content is replaced; raises `ToolchainError` to keep it
        :raises ToolchainError: if the file cannot be written; it then has its old content
        """
        existing, path = os.path.realpath(rehearsal.resolve_read(self.path)), os.path.realpath(self.path)
        destination = rehearsal.resolve_write(path)
        temporary = os.path.join(os.path.dirname(destination), f".new-{secrets.token_hex(8)}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, default_mode)
        except OSError as error:
            raise ToolchainError(f"Cannot write into '{os.path.dirname(path)}': {error.strerror}.") from None
        try:
            with os.fdopen(handle, "wb") as file:
                self._set_permissions(handle, existing)
                file.writelines(chunks)
                file.flush()
                os.fsync(file.fileno())
            verify()
            os.replace(temporary, destination)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            if isinstance(error, OSError):
                raise ToolchainError(f"Cannot write '{path}': {error.strerror}.") from None
            raise

    def _set_permissions(self, handle: int, existing: str) -> None:
        """Set owner, group and mode of a new file, by default to those of the existing file."""
        created = os.fstat(handle)
        default = os.stat(existing) if os.path.exists(existing) else created
        owner, group = _user_id(self.owner), _group_id(self.group)
        ids = (default.st_uid if owner is None else owner, default.st_gid if group is None else group)
        if ids != (created.st_uid, created.st_gid):
            os.fchown(handle, *ids)
        os.fchmod(handle, int(self.mode, 8) if self.mode else stat.S_IMODE(default.st_mode))


def check_writable(task: Task, path: str, option: str) -> None:
    """Verify that a file can be written. Symbolic links are followed.

    In check mode the parent directory may be missing, because an earlier task may create it.

    :raises BadOption: if the file cannot be written
    """
    target = os.path.realpath(path)
    directory = rehearsal.resolve_read(os.path.dirname(target))
    if os.path.exists(target) and not os.path.isfile(target):
        raise BadOption(option, f"'{path}' cannot be written: it is not a regular file")
    if task.check_mode and not os.path.exists(directory):
        return
    if not os.path.isdir(directory) or not os.access(directory, os.W_OK | os.X_OK):
        raise BadOption(option, f"'{path}' cannot be written: its directory must exist and be writable")


def check_ownership(task: Task) -> None:
    """Verify that the options `owner` and `group` name a user and a group of this machine.

    :raises BadOption: if one of them does not exist
    """
    for option, find in (("owner", _user_id), ("group", _group_id)):
        try:
            find(task.params[option])
        except KeyError:
            raise BadOption(option, f"'{task.params[option]}' does not exist on this machine") from None


def warn_if_accessible(task: Task, path: str) -> None:
    """Warn if other users can read a secret that is stored in a file next, or can replace the file.

    If the option `mode` is set, the mode of the file is the user's decision.
    """
    file = os.path.realpath(rehearsal.resolve_read(path))
    directory = rehearsal.resolve_read(os.path.dirname(os.path.realpath(path)))
    if task.params["mode"] is None and (mode := _read_mode(file)) & 0o077:
        task.warn(
            f"Other users can access the secret in '{path}', which has mode {mode:04o}: set 'mode', or make it 0600."
        )
    if (mode := _read_mode(directory)) & 0o022 and not mode & stat.S_ISVTX:
        task.warn(
            f"Other users can replace '{path}', because its directory has mode {mode:04o}: use a directory that only "
            "its owner can write to."
        )


def read_text(path: str, option: str | None = None) -> str | None:
    """Return the content of a file without surrounding whitespace, or `None` if it is empty or missing.

    :arg option: the option with the path, for messages
    :raises ToolchainError: if the file cannot be read
    """
    try:
        with open(rehearsal.resolve_read(path), encoding="utf-8", errors="replace") as file:
            return file.read().strip() or None
    except FileNotFoundError:
        return None
    except OSError as error:
        if option:
            raise BadOption(option, f"cannot read '{path}': {error.strerror}") from None
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None


def store_text(task: Task, target: Target, text: str, verify: t.Callable[[], None] = lambda: None) -> None:
    """Replace the content of a file by a text and a line feed. Counts as a change; never done in check mode.

    :arg verify: called before the old content is replaced; raises `ToolchainError` to keep it
    :raises ToolchainError: if the file cannot be written; it then has its old content
    """
    with task.guard_write(f"Storing '{target.path}'"):
        target.replace(_encode([f"{text}\n"]), verify=verify)


def store_chunks(task: Task, path: str, chunks: t.Iterable[bytes], in_check_mode: bool = False) -> None:
    """Replace the content of a public file and create its directory. Counts as a change.

    :arg in_check_mode: whether to write the file in check mode too, because it is only a cache
    :raises ToolchainError: if the file cannot be written, or by `chunks`; the file then has its old content
    """
    with contextlib.nullcontext() if in_check_mode else task.guard_write(f"Storing '{path}'"):
        try:
            os.makedirs(rehearsal.resolve_write(os.path.dirname(os.path.realpath(path))), exist_ok=True)
        except OSError as error:
            raise ToolchainError(f"Cannot create the directory of '{path}': {error.strerror}.") from None
        Target(path).replace(chunks, default_mode=0o666)


def store_output(task: Task, target: Target, chunks: t.Iterable[bytes]) -> None:
    """Replace the content of a file by the output of a query or command. Does not count as a change.

    The chunks are consumed one by one. In check mode they are consumed and discarded.

    :raises ToolchainError: if the file cannot be written, or by `chunks`; the file then has its old content
    """
    if task.check_mode:
        _discard(chunks)
        return
    with task.guard_action(f"Writing '{target.path}'", changes_state=False):
        target.replace(chunks)


def store_download(task: Task, target: Target, chunks: t.Iterator[bytes]) -> dict[str, t.Any] | None:
    """Replace the content of a file like `store_output`; return its path and its size in bytes.

    In check mode, nothing is downloaded, because `chunks` is not iterated, and the result is `None`.
    """
    if task.check_mode:
        return None
    store_output(task, target, chunks)
    return {"path": target.path, "size": os.stat(rehearsal.resolve_read(target.path)).st_size}


def store_json_lines(task: Task, target: Target, values: t.Iterable[t.Any], in_check_mode: bool = False) -> None:
    """Replace the content of a file by JSON Lines with masked secrets. Does not count as a change.

    The values are consumed one by one. In check mode they are consumed and discarded.

    :arg in_check_mode: whether to write the file in check mode too, because it is a prediction
    :raises ToolchainError: if the file cannot be written; it then has its old content
    """
    lines = (_to_line(task, value) for value in values)
    if task.check_mode and not in_check_mode:
        _discard(lines)
        return
    action = task.guard_action(f"Writing '{target.path}'", changes_state=False)
    with contextlib.nullcontext() if in_check_mode else action:
        target.replace(_encode(lines))


@contextlib.contextmanager
def open_json_lines(task: Task, path: str | None) -> t.Iterator[t.Callable[[t.Any], t.Any]]:
    """Create a file with mode 0600, and return a function that appends a value as a line of JSON with masked secrets.

    :arg path: if `None`, and in check mode, nothing is written
    :raises ToolchainError: if the file cannot be written
    """
    path = writable_path(task, path)
    if path is None:
        yield lambda _value: None
        return
    try:
        with (
            task.guard_action(f"Writing '{path}'", changes_state=False),
            open(
                rehearsal.resolve_write(path), "w", encoding="utf-8", errors=_ENCODING_ERRORS, opener=_open_private
            ) as file,
        ):
            yield lambda value: file.write(_to_line(task, value))
    except OSError as error:
        raise ToolchainError(f"Cannot write '{path}': {error.strerror}.") from None


def writable_path(task: Task, path: str | None) -> str | None:
    """Return a path that the task may write to: `None` in check mode."""
    return None if task.check_mode else path


def open_private(path: str, mode: str) -> t.Any:
    """Open an unbuffered binary file with mode 0600.

    :arg mode: a mode of `open` that creates the file or appends to it
    """
    return open(rehearsal.resolve_write(path, copy_content=True), mode, buffering=0, opener=_open_private)


def temporary_directory() -> str:
    """Return the directory for files that concurrent tasks of this user share. Other users cannot write to it.

    :raises OSError: if it cannot be created
    """
    directory = os.path.join(tempfile.gettempdir(), f"buildworks-toolchain-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(directory, 0o700)
    existing = os.lstat(directory)
    if not stat.S_ISDIR(existing.st_mode) or existing.st_uid != os.getuid() or existing.st_mode & 0o022:
        raise PermissionError(directory)
    return directory


def output_list(task: Task, name: str, values: t.Iterable[dict[str, t.Any]], order: t.Sequence[str] = ()) -> int:
    """Write values to the file of the option `to_file` or, if that is not set, to a member of the result.

    If the option `mask_secrets` is set, texts that look like secrets are masked, and the result lists their places.

    :arg name: the member of the result
    :arg values: consumed only after the file is known to be writable
    :arg order: members by which the result is sorted; the file keeps the order of `values`
    :return: the number of values
    :raises BadOption: if the file cannot be written
    """
    masker = SecretMasker(task.params["secret_members"] or ())
    if task.params["mask_secrets"]:
        task.result["masked"] = masker.result
        values = map(masker.mask, values)
    if task.params["to_file"] is None:
        rows = task.result[name] = list(values)
        if order:
            rows.sort(key=lambda row: [row[member] for member in order])
        return len(rows)
    check_writable(task, task.params["to_file"], "to_file")
    check_ownership(task)
    counter = itertools.count()
    target = Target.from_options(task, task.params["to_file"])
    store_json_lines(task, target, (value for value, _number in zip(values, counter)))
    return next(counter)


def _to_line(task: Task, value: t.Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Most lines contain no secret, so the search in the encoded text comes first
    if any(json.dumps(secret, ensure_ascii=False)[1:-1] in text for secret in task.secrets):
        text = json.dumps(mask_secrets(value, task.secrets), ensure_ascii=False)
    return f"{text}\n"


def _discard(values: t.Iterable[t.Any]) -> None:
    collections.deque(values, maxlen=0)


def _open_private(path: str, flags: int) -> int:
    handle = os.open(path, flags, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def _encode(texts: t.Iterable[str]) -> t.Iterator[bytes]:
    return (text.encode("utf-8", _ENCODING_ERRORS) for text in texts)


def _read_mode(path: str) -> int:
    """Return the permissions of a file or directory, or 0 if it is missing."""
    return stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0


def _user_id(name: str | None) -> int | None:
    return None if name is None else int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid


def _group_id(name: str | None) -> int | None:
    return None if name is None else int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
