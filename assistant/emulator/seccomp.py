"""A filter of system calls for code that the user did not write: no sockets, no other processes, no changes outside its files.

The filter is a program of the kernel's classic BPF (linux/filter.h, linux/seccomp.h) that answers EPERM or ENOSYS; nothing is killed for
asking. It stays in force over ``execve`` and for every descendant. Pairs of connected sockets (``socketpair``) are allowed. Changes of
a file's mode, owner or times are answered as done and are not made: copying a file sets them, and no result rests on them.

Example::

    install = prepare_filter()
    if install is not None:
        install()  # in the child, after PR_SET_NO_NEW_PRIVS
"""

from __future__ import annotations

import ctypes
import errno
import platform
import signal
import struct
from collections.abc import Callable

__all__ = ["prepare_filter", "prepare_gpu_filter"]

_MACHINE = "x86_64"
_AUDIT_ARCH_X86_64 = 0xC000003E  # linux/audit.h
_X32_SYSCALL_BIT = 0x40000000  # asm/unistd.h
_SYS_SECCOMP = 317
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_GET_ACTION_AVAIL = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD_WORD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # linux/bpf_common.h
_NUMBER_OFFSET, _ARCH_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
"""Of ``struct seccomp_data``: arguments are 64-bit little-endian words."""

_SOCKET = 41
_REACHING_OTHERS = {"connect": 42, "sendto": 44, "sendmsg": 46, "sendmmsg": 307}
_AF_UNIX = 1  # sys/socket.h
_OTHER_PROCESSES = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440, "process_mrelease": 448,
    "pidfd_getfd": 438, "kcmp": 312, "setpgid": 109, "setsid": 112, "migrate_pages": 256, "move_pages": 279,
}  # fmt: skip
"""``setpgid`` and ``setsid`` would leave the process group that is watched and killed."""
_NAMESPACES = {
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
}  # fmt: skip
_SYSTEM = {
    "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "init_module": 175, "finit_module": 313, "delete_module": 176, "swapon": 167,
    "swapoff": 168, "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
    "clock_adjtime": 305, "acct": 163, "quotactl": 179, "quotactl_fd": 443, "syslog": 103, "iopl": 172, "ioperm": 173, "bpf": 321,
    "perf_event_open": 298, "userfaultfd": 323, "add_key": 248, "request_key": 249, "keyctl": 250, "open_by_handle_at": 304,
    "fanotify_init": 300, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
"""``io_uring`` opens sockets and files without the system calls that are looked at here."""
_SHARED_MEMORY = {
    "shmget": 29, "shmctl": 31, "semget": 64, "semctl": 66, "msgget": 68, "msgctl": 71, "mq_open": 240, "mq_unlink": 241,
    "memfd_create": 319, "memfd_secret": 447,
}  # fmt: skip
"""What outlives the program, or takes memory that no process's resident size shows."""
_EXTENDED_ATTRIBUTES = {
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "setxattrat": 463, "removexattrat": 466, "file_setattr": 469,
}  # fmt: skip
_FILE_ATTRIBUTES = {
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260,
    "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
}  # fmt: skip
"""Landlock looks neither at these nor at the extended ones (landlock(7), ABI 1 to 7)."""
_CLONE, _CLONE3, _PRCTL, _PRLIMIT64 = 56, 435, 157, 302
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_NEW_NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h)."""

_Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand (``struct sock_filter``)."""


def prepare_filter() -> Callable[[], None] | None:
    """What puts the filter in force in the calling thread, raising OSError if it cannot; None where the kernel has no such filters.

    Nothing is allocated by the call, so that it may run between fork and exec.
    """
    return _prepared(_if((_JUMP_EQUAL, _SOCKET), (_refuse(errno.EPERM),)))


def prepare_gpu_filter() -> Callable[[], None] | None:
    """Likewise for a program that uses a GPU: CUDA's driver does not start without a local socket, which reaches nobody here."""
    local_only = (_load_argument(0), *_if((_JUMP_EQUAL, _AF_UNIX), (_return(_ALLOW),)), _refuse(errno.EPERM))
    reaching = (item for number in _REACHING_OTHERS.values() for item in _if((_JUMP_EQUAL, number), (_refuse(errno.EPERM),)))
    return _prepared((*reaching, *_if((_JUMP_EQUAL, _SOCKET), local_only)))


def _prepared(sockets: tuple[_Instruction, ...]) -> Callable[[], None] | None:
    libc = ctypes.CDLL(None, use_errno=True)
    action = ctypes.c_uint32(_ERRNO)
    if platform.machine() != _MACHINE or libc.syscall(_SYS_SECCOMP, _SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(action)) != 0:
        return None
    instructions = _program(sockets)
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *item) for item in instructions))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(instructions), ctypes.addressof(code)))

    def install() -> None:
        assert code is not None, "the kernel reads the program from here"
        if libc.syscall(_SYS_SECCOMP, _SECCOMP_SET_MODE_FILTER, 0, program) != 0:
            raise OSError(ctypes.get_errno(), "the filter of system calls was refused")

    return install


def _program(sockets: tuple[_Instruction, ...]) -> tuple[_Instruction, ...]:
    groups = (_OTHER_PROCESSES, _NAMESPACES, _SYSTEM, _SHARED_MEMORY, _EXTENDED_ATTRIBUTES)
    denied = sorted(number for group in groups for number in group.values())
    return (
        (_LOAD_WORD, 0, 0, _ARCH_OFFSET),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCH_X86_64),
        _refuse(errno.EPERM),
        (_LOAD_WORD, 0, 0, _NUMBER_OFFSET),
        *_if((_JUMP_AT_LEAST, _X32_SYSCALL_BIT), (_refuse(errno.EPERM),)),
        *sockets,
        *(item for number in denied for item in _if((_JUMP_EQUAL, number), (_refuse(errno.EPERM),))),
        *(item for number in _FILE_ATTRIBUTES.values() for item in _if((_JUMP_EQUAL, number), (_pretend(),))),
        *_if((_JUMP_EQUAL, _CLONE3), (_refuse(errno.ENOSYS),)),  # its flags lie in memory; the C library falls back to clone
        *_if((_JUMP_EQUAL, _CLONE), _refuse_new_namespaces()),
        *_if((_JUMP_EQUAL, _PRCTL), _refuse_outliving_its_parent()),
        *_if((_JUMP_EQUAL, _PRLIMIT64), _refuse_limits_of_others()),
        _return(_ALLOW),
    )


def _refuse_new_namespaces() -> tuple[_Instruction, ...]:
    return (_load_argument(0), *_if((_JUMP_ANY_BIT, _NEW_NAMESPACE_FLAGS), (_refuse(errno.EPERM),)), _return(_ALLOW))


def _refuse_outliving_its_parent() -> tuple[_Instruction, ...]:
    """``prctl(PR_SET_PDEATHSIG, …)`` with another signal than SIGKILL."""
    ask = (_load_argument(1), *_if((_JUMP_EQUAL, signal.SIGKILL), (_return(_ALLOW),)), _refuse(errno.EPERM))
    return (_load_argument(0), *_if((_JUMP_EQUAL, _PR_SET_PDEATHSIG), ask), _return(_ALLOW))


def _refuse_limits_of_others() -> tuple[_Instruction, ...]:
    """``prlimit64`` with a process id other than 0 (the caller itself), which is what ``setrlimit`` and ``getrlimit`` pass."""
    return (_load_argument(0), *_if((_JUMP_EQUAL, 0), (_return(_ALLOW),)), _refuse(errno.EPERM))


def _if(condition: tuple[int, int], then: tuple[_Instruction, ...]) -> tuple[_Instruction, ...]:
    """``then`` is skipped unless the condition on the loaded word holds."""
    return ((condition[0], 0, len(then), condition[1]), *then)


def _load_argument(index: int) -> _Instruction:
    """The low half of a system call's argument."""
    return (_LOAD_WORD, 0, 0, _ARGUMENTS_OFFSET + 8 * index)


def _refuse(number: int) -> _Instruction:
    return _return(_ERRNO | number)


def _pretend() -> _Instruction:
    """The call is not made; the caller sees success."""
    return _return(_ERRNO)


def _return(action: int) -> _Instruction:
    return (_RETURN, 0, 0, action)
