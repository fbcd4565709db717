"""Filters of system calls, written as the kernel's own little programs (classic BPF).

Two of them. The sandbox's refuses what no program needs and what kernel holes are usually reached through:
namespaces, mounts, tracing, keys, modules, BPF, io_uring. The workers' is the other way round: it allows
what computing and answering need, and nothing that opens, connects, starts or signals.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Iterator

from .syscalls import Architecture, this_architecture

__all__ = ["sandbox_filter", "worker_filter"]

_KILL = 0x80000000
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD, _EQUAL, _GREATER_EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

Instruction = tuple[int, int, int, int]

_NEW_NAMESPACES = 0x7E020000
_THREAD = 0x00010000
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16

REFUSED = """
    acct add_key adjtimex bpf chroot clock_adjtime clock_settime create_module delete_module fanotify_init
    finit_module fsconfig fsmount fsopen fspick get_kernel_syms init_module io_uring_enter io_uring_register
    io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie mbind migrate_pages
    modify_ldt mount mount_setattr move_mount move_pages name_to_handle_at nfsservctl open_by_handle_at
    open_tree perf_event_open pidfd_getfd pivot_root process_madvise process_mrelease process_vm_readv
    process_vm_writev ptrace query_module quotactl quotactl_fd reboot request_key set_mempolicy
    set_mempolicy_home_node setdomainname sethostname setns settimeofday swapoff swapon syslog umount2 unshare
    uselib userfaultfd ustat vhangup vmsplice _sysctl
"""

SIGNALLING = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal"

COMPUTING = """
    read write readv writev recvfrom sendto recvmsg sendmsg close lseek mmap mprotect munmap mremap msync brk
    madvise futex rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack clock_gettime clock_getres
    clock_nanosleep nanosleep gettimeofday time getrandom getpid getppid gettid getuid geteuid getgid getegid
    uname sysinfo times getrusage sched_yield sched_getaffinity exit exit_group poll ppoll select pselect6
    restart_syscall set_robust_list rseq membarrier setitimer getitimer alarm getrlimit
"""

PATHS = "getcwd readlink readlinkat stat lstat newfstatat statx"
"""Asking about files without opening them: what some libraries do before they compute."""


def sandbox_filter(*, sockets: bool = True, signals: bool = True) -> bytes | None:
    """For programs in the sandbox; None on architectures without a table.

    Without `sockets`, or `signals`, none can be made: for rungs whose other walls do not stop them.
    """
    architecture = this_architecture()
    if architecture is None:
        return None
    calls = architecture.calls
    program = list(_start(architecture))
    for name in f"{REFUSED} {'' if signals else SIGNALLING}".split():
        if name in calls:
            program += _refuse(calls[name], errno.EPERM)
    # Memory that belongs to no process, which no limit on processes counts.
    for name in ("memfd_create", "memfd_secret", "shmget", "msgget"):
        program += _refuse(calls[name], errno.ENOSYS)
    # Its flags lie in memory where no filter can look; the C library falls back to clone.
    program += _refuse(calls["clone3"], errno.ENOSYS)
    program += _when(calls["clone"], 0, [(_ANY_BIT, _NEW_NAMESPACES)], _ERRNO | errno.EPERM, _ALLOW)
    program += _when(calls["ioctl"], 1, [(_EQUAL, code) for code in _TERMINAL_INJECTION], _ERRNO | errno.EPERM, _ALLOW)
    program += _when(calls["personality"], 0, [(_EQUAL, 0), (_EQUAL, 0xFFFFFFFF)], _ALLOW, _ERRNO | errno.EPERM)
    # A job must not change the limits or the priority of another process of its sandbox.
    for name, argument in (("prlimit64", 0), ("setpriority", 1), ("ioprio_set", 1)):
        program += _when(calls[name], argument, [(_EQUAL, 0)], _ALLOW, _ERRNO | errno.EPERM)
    families = [(_EQUAL, family) for family in (_UNIX, _INET, _INET6, _NETLINK)] if sockets else []
    program += _when(calls["socket"], 0, families, _ALLOW, _ERRNO | errno.EAFNOSUPPORT)
    program.append((_RETURN, 0, 0, _ALLOW))
    return _assembled(program)


def worker_filter(pid: int, *, threads: bool = False) -> bytes | None:
    """For the worker with this process id: it may compute, answer, signal nobody but itself.

    With `threads` it may start threads, and ask about files.
    """
    architecture = this_architecture()
    if architecture is None:
        return None
    calls = architecture.calls
    program = list(_start(architecture))
    for name in f"{COMPUTING} {PATHS if threads else ''}".split():
        if name in calls:
            program += [(_EQUAL, 0, 1, calls[name]), (_RETURN, 0, 0, _ALLOW)]
    for name in ("tgkill", "kill", "prlimit64"):
        # prlimit64 on 0 is asking about oneself.
        whom = 0 if name == "prlimit64" else pid
        program += _when(calls[name], 0, [(_EQUAL, whom)], _ALLOW, _ERRNO | errno.EPERM)
    if threads:
        program += _refuse(calls["clone3"], errno.ENOSYS)  # its flags lie in memory; the C library falls back to clone
        program += _when(calls["clone"], 0, [(_ANY_BIT, _THREAD)], _ALLOW, _ERRNO | errno.EPERM)
    program.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return _assembled(program)


def _start(architecture: Architecture) -> Iterator[Instruction]:
    """Another architecture's numbers would mean other calls: that ends the program."""
    yield (_LOAD, 0, 0, 4)
    yield (_EQUAL, 1, 0, architecture.audit)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, 0)
    if architecture.x32:
        yield (_GREATER_EQUAL, 0, 1, 0x40000000)
        yield (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)


def _refuse(call: int, number: int) -> list[Instruction]:
    return [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ERRNO | number)]


def _when(call: int, argument: int, tests: list[tuple[int, int]], matched: int, otherwise: int) -> list[Instruction]:
    """For one call: `matched` when a test on the low half of an argument holds, else `otherwise`."""
    block: list[Instruction] = [(_LOAD, 0, 0, 16 + 8 * argument)]
    for code, value in tests:
        block += [(code, 0, 1, value), (_RETURN, 0, 0, matched)]
    block.append((_RETURN, 0, 0, otherwise))
    return [(_EQUAL, 0, len(block), call), *block]


def _assembled(program: Iterable[Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
