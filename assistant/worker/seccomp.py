"""Filters of system calls: no sockets, no other processes, no objects that programs share, no changes outside its own files.

A filter is a program of the kernel's classic BPF (linux/filter.h, linux/seccomp.h) that answers EPERM or another error; nothing is
killed for asking. It stays in force over ``execve`` and for every descendant. Pairs of connected sockets (``socketpair``) are allowed. For
code that the user did not write, changes of a file's mode, owner or times, locks on files, process groups and the processors of single
threads are answered as done and are not made: programs set them as a matter of course, and no result rests on them.

Example::

    code = program_filter()
    if code is not None:
        install_filter(code)  # in the child, after PR_SET_NO_NEW_PRIVS
"""

from __future__ import annotations

import ctypes
import errno
import platform
import signal
import struct
from collections.abc import Iterable

from assistant.worker.linux import system_call

__all__ = ["compiler_filter", "gpu_program_filter", "install_filter", "program_filter"]

_MACHINE = "x86_64"
_AUDIT_ARCH_X86_64 = 0xC000003E  # linux/audit.h
_X32_SYSCALL_BIT = 0x40000000  # asm/unistd.h
_SYS_SECCOMP = 317
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_GET_ACTION_AVAIL = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD_WORD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06  # linux/bpf_common.h
_NUMBER_OFFSET, _ARCH_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
"""Offsets in ``struct seccomp_data``: arguments are 64-bit little-endian words."""

_SOCKET = 41
_REACHING_OTHERS = {"connect": 42, "sendto": 44, "sendmsg": 46, "sendmmsg": 307}
_AF_UNIX = 1  # sys/socket.h
_OTHER_PROCESSES = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440, "process_mrelease": 448,
    "pidfd_getfd": 438, "kcmp": 312, "setsid": 112, "migrate_pages": 256, "move_pages": 279, "pidfd_send_signal": 424,
}  # fmt: skip
"""``setsid`` would leave the process group that is watched and killed."""
_SETPGID = 109
"""So would this; ninja asks it for every command that it starts, and gives up where it is refused."""
_NAMESPACES = {
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "open_tree_attr": 467,
}  # fmt: skip
_SYSTEM = {
    "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "init_module": 175, "finit_module": 313, "delete_module": 176, "swapon": 167,
    "swapoff": 168, "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
    "clock_adjtime": 305, "acct": 163, "quotactl": 179, "quotactl_fd": 443, "syslog": 103, "iopl": 172, "ioperm": 173, "bpf": 321,
    "perf_event_open": 298, "userfaultfd": 323, "add_key": 248, "request_key": 249, "keyctl": 250, "open_by_handle_at": 304,
    "fanotify_init": 300, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
"""``io_uring`` opens sockets and files without the system calls that are looked at here."""
_SHARED_OBJECTS = {
    "shmget": 29, "shmat": 30, "shmctl": 31, "shmdt": 67, "semget": 64, "semop": 65, "semctl": 66, "semtimedop": 220, "msgget": 68,
    "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "mq_open": 240, "mq_unlink": 241, "mq_timedsend": 242, "mq_timedreceive": 243,
    "mq_notify": 244, "mq_getsetattr": 245, "memfd_create": 319, "memfd_secret": 447,
}  # fmt: skip
"""What belongs to other programs too, outlives the program, or takes memory that no process's resident size shows."""
_EXTENDED_ATTRIBUTES = {
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "setxattrat": 463, "removexattrat": 466, "file_setattr": 469,
}  # fmt: skip
_FILE_ATTRIBUTES = {
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260,
    "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
}  # fmt: skip
"""Landlock looks neither at these nor at the extended ones (landlock(7), ABI 1 to 7)."""
_FLOCK, _FCNTL, _IOCTL, _KILL = 73, 72, 16, 62
_RECORD_LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW (asm-generic/fcntl.h). A file that is only read can be locked, which stops its owner."""
_REACHING_FCNTLS = (8, 15, 1024)
"""F_SETOWN and F_SETOWN_EX name a process that is signalled; F_SETLEASE holds back processes that open the file for writing."""
_TERMINAL_IOCTLS = 0x5400
"""Type 'T' (asm-generic/ioctls.h): what ``isatty`` and its like ask. Others change files, folders or whole file systems by a descriptor
that can only be read."""
_IOCTL_TYPE_BITS, _NOT_LAST_BYTE = 0xFF00, 0xFFFFFF00
_REACHING_IOCTLS = {"TIOCSCTTY": 0x540E, "TIOCSTI": 0x5412, "TIOCLINUX": 0x541C, "TIOCCONS": 0x541D, "TIOCSETD": 0x5423}
"""They type into a terminal, or take it over."""
_FILE_SYSTEM_IOCTLS = {
    "FS_IOC": 0x6600, "XFS and FS_IOC_FSSETXATTR": 0x5800, "FS_IOC_SETVERSION": 0x7600, "FAT": 0x7200, "btrfs": 0x9400, "f2fs": 0xF500,
    "ceph": 0x9700, "nilfs": 0x6E00,
}  # fmt: skip
"""By type (Documentation/userspace-api/ioctl/ioctl-number.rst): where a GPU's driver needs its own, these are refused."""
_ONLY_ITSELF = {"sched_setparam": 142, "sched_setscheduler": 144, "sched_setattr": 314}
"""Their first argument names the process; 0 is the caller."""
_SCHED_SETAFFINITY, _SETPRIORITY, _IOPRIO_SET = 203, 141, 251
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1  # sys/resource.h, linux/ioprio.h
_EVERY_PROCESS = 0xFFFFFFFF
"""The process id -1 of ``kill``."""
_CLONE, _CLONE3, _PRCTL, _PRLIMIT64 = 56, 435, 157, 302
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_NEW_NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h)."""

_Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand (``struct sock_filter``)."""
_INSTRUCTION = struct.Struct("<HBBI")


def program_filter() -> bytes | None:
    """For a program of the CPU; None where the kernel has no such filters."""
    return _encoded((*_if((_JUMP_EQUAL, _SOCKET), (_refuse(errno.EPERM),)), *_pretended_changes(), *_ioctls_of_terminals()))


def gpu_program_filter() -> bytes | None:
    """For a program that uses a GPU: CUDA's driver controls devices, and does not start without a local socket, which reaches none here."""
    local_only = (_load_argument(0), *_if((_JUMP_EQUAL, _AF_UNIX), (_return(_ALLOW),)), _refuse(errno.EPERM))
    reaching = _refused(_REACHING_OTHERS.values())
    return _encoded((*reaching, *_if((_JUMP_EQUAL, _SOCKET), local_only), *_pretended_changes(), *_ioctls_but_of_file_systems()))


def compiler_filter() -> bytes | None:
    """For compilers, which make programs that can be started: they change their own files as they like."""
    return _encoded((*_if((_JUMP_EQUAL, _SOCKET), (_refuse(errno.EPERM),)), *_ioctls_of_terminals()))


def install_filter(code: bytes) -> None:
    """Put it in force in the calling thread and all that it starts, for good. Raises OSError."""
    instructions = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code) // _INSTRUCTION.size, ctypes.addressof(instructions)))
    system_call(_SYS_SECCOMP, _SECCOMP_SET_MODE_FILTER, 0, program)


def _encoded(own: tuple[_Instruction, ...]) -> bytes | None:
    return b"".join(_INSTRUCTION.pack(*item) for item in _program(own)) if _is_available() else None


def _is_available() -> bool:
    action = ctypes.c_uint32(_ERRNO)
    try:
        system_call(_SYS_SECCOMP, _SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(action))
    except OSError:
        return False
    return platform.machine() == _MACHINE


def _program(own: tuple[_Instruction, ...]) -> tuple[_Instruction, ...]:
    """``own``: what one filter has beyond what all have."""
    groups = ({"setpgid": _SETPGID}, _OTHER_PROCESSES, _NAMESPACES, _SYSTEM, _SHARED_OBJECTS, _EXTENDED_ATTRIBUTES)
    return (
        (_LOAD_WORD, 0, 0, _ARCH_OFFSET),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCH_X86_64),
        _refuse(errno.EPERM),
        (_LOAD_WORD, 0, 0, _NUMBER_OFFSET),
        *_if((_JUMP_AT_LEAST, _X32_SYSCALL_BIT), (_refuse(errno.EPERM),)),
        *own,
        *_refused(sorted(number for group in groups for number in group.values())),
        *_if((_JUMP_EQUAL, _CLONE3), (_refuse(errno.ENOSYS),)),  # its flags lie in memory; the C library falls back to clone
        *_if((_JUMP_EQUAL, _CLONE), _refuse_new_namespaces()),
        *_if((_JUMP_EQUAL, _PRCTL), _refuse_outliving_its_parent()),
        *_if((_JUMP_EQUAL, _PRLIMIT64), _only_for_itself(_refuse(errno.EPERM))),
        *(item for number in _ONLY_ITSELF.values() for item in _if((_JUMP_EQUAL, number), _only_for_itself(_refuse(errno.EPERM)))),
        *_if((_JUMP_EQUAL, _SCHED_SETAFFINITY), _only_for_itself(_pretend())),  # threads are named by ids of their own
        *_if((_JUMP_EQUAL, _SETPRIORITY), _only_for_one(_PRIO_PROCESS)),
        *_if((_JUMP_EQUAL, _IOPRIO_SET), _only_for_one(_IOPRIO_WHO_PROCESS)),
        *_if((_JUMP_EQUAL, _KILL), _refuse_every_process()),
        *_if((_JUMP_EQUAL, _FCNTL), _refuse_reaching_fcntls()),
        _return(_ALLOW),
    )


def _refused(numbers: Iterable[int]) -> tuple[_Instruction, ...]:
    return tuple(item for number in numbers for item in _if((_JUMP_EQUAL, number), (_refuse(errno.EPERM),)))


def _pretended_changes() -> tuple[_Instruction, ...]:
    """Attributes of files, locks on them, and process groups."""
    locks = (_load_argument(1), *(item for command in _RECORD_LOCKS for item in _if((_JUMP_EQUAL, command), (_pretend(),))))
    done = (item for number in (*_FILE_ATTRIBUTES.values(), _FLOCK, _SETPGID) for item in _if((_JUMP_EQUAL, number), (_pretend(),)))
    return (*done, *_if((_JUMP_EQUAL, _FCNTL), (*locks, *_refuse_reaching_fcntls())))


def _ioctls_of_terminals() -> tuple[_Instruction, ...]:
    asked = (_load_argument(1), *_refused(_REACHING_IOCTLS.values()), (_AND, 0, 0, _NOT_LAST_BYTE))
    return _if((_JUMP_EQUAL, _IOCTL), (*asked, *_if((_JUMP_EQUAL, _TERMINAL_IOCTLS), (_return(_ALLOW),)), _refuse(errno.ENOTTY)))


def _ioctls_but_of_file_systems() -> tuple[_Instruction, ...]:
    refused = (item for kind in _FILE_SYSTEM_IOCTLS.values() for item in _if((_JUMP_EQUAL, kind), (_refuse(errno.ENOTTY),)))
    asked = (_load_argument(1), *_refused(_REACHING_IOCTLS.values()), (_AND, 0, 0, _IOCTL_TYPE_BITS))
    return _if((_JUMP_EQUAL, _IOCTL), (*asked, *refused, _return(_ALLOW)))


def _refuse_new_namespaces() -> tuple[_Instruction, ...]:
    return (_load_argument(0), *_if((_JUMP_ANY_BIT, _NEW_NAMESPACE_FLAGS), (_refuse(errno.EPERM),)), _return(_ALLOW))


def _refuse_outliving_its_parent() -> tuple[_Instruction, ...]:
    """``prctl(PR_SET_PDEATHSIG, …)`` with another signal than SIGKILL."""
    ask = (_load_argument(1), *_if((_JUMP_EQUAL, signal.SIGKILL), (_return(_ALLOW),)), _refuse(errno.EPERM))
    return (_load_argument(0), *_if((_JUMP_EQUAL, _PR_SET_PDEATHSIG), ask), _return(_ALLOW))


def _only_for_itself(otherwise: _Instruction) -> tuple[_Instruction, ...]:
    """The first argument is a process: 0 is the caller."""
    return (_load_argument(0), *_if((_JUMP_EQUAL, 0), (_return(_ALLOW),)), otherwise)


def _only_for_one(kind: int) -> tuple[_Instruction, ...]:
    """The first argument says what the second names: allowed is one process, the caller itself."""
    itself = (_load_argument(1), *_if((_JUMP_EQUAL, 0), (_return(_ALLOW),)))
    return (_load_argument(0), *_if((_JUMP_EQUAL, kind), itself), _refuse(errno.EPERM))


def _refuse_every_process() -> tuple[_Instruction, ...]:
    return (_load_argument(0), *_if((_JUMP_EQUAL, _EVERY_PROCESS), (_refuse(errno.EPERM),)), _return(_ALLOW))


def _refuse_reaching_fcntls() -> tuple[_Instruction, ...]:
    return (_load_argument(1), *_refused(_REACHING_FCNTLS), _return(_ALLOW))


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
