"""System call numbers of the architectures that filters are written for."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["ARCHITECTURES", "Architecture", "this_architecture"]


@dataclass(frozen=True)
class Architecture:
    """How seccomp names it, and its calls by name."""

    audit: int
    calls: dict[str, int]
    x32: bool = False
    """Whether a second table of calls hides behind high numbers."""


_X86_64 = """
    shmget:29 msgget:68 memfd_create:319 memfd_secret:447
    read:0 write:1 open:2 close:3 stat:4 fstat:5 lstat:6 poll:7 lseek:8 mmap:9 mprotect:10 munmap:11 brk:12
    rt_sigaction:13 rt_sigprocmask:14 rt_sigreturn:15 ioctl:16 pread64:17 readv:19 writev:20 access:21 select:23
    sched_yield:24 mremap:25 msync:26 mincore:27 madvise:28 pause:34 nanosleep:35 getitimer:36 alarm:37
    setitimer:38 getpid:39 socket:41 connect:42 sendto:44 recvfrom:45 sendmsg:46 recvmsg:47 shutdown:48
    socketpair:53 clone:56 fork:57 vfork:58 execve:59 exit:60 kill:62 uname:63 gettimeofday:96 getrlimit:97
    getrusage:98 sysinfo:99 times:100 ptrace:101 getuid:102 syslog:103 getgid:104 geteuid:107 getegid:108
    getppid:110 getgroups:115 rt_sigqueueinfo:129 sigaltstack:131 uselib:134 personality:135 ustat:136
    getcwd:79 readlink:89 readlinkat:267 statx:332 setpriority:141 ioprio_set:251
    vhangup:153 modify_ldt:154 pivot_root:155 _sysctl:156 prctl:157 adjtimex:159 chroot:161 acct:163
    settimeofday:164 mount:165 umount2:166 swapon:167 swapoff:168 reboot:169 sethostname:170 setdomainname:171
    iopl:172 ioperm:173 create_module:174 init_module:175 delete_module:176 get_kernel_syms:177 query_module:178
    quotactl:179 nfsservctl:180 gettid:186 tkill:200 time:201 futex:202 sched_getaffinity:204 lookup_dcookie:212
    restart_syscall:219 clock_settime:227 clock_gettime:228 clock_getres:229 clock_nanosleep:230 exit_group:231
    epoll_wait:232 tgkill:234 mbind:237 set_mempolicy:238 kexec_load:246 add_key:248 request_key:249 keyctl:250
    migrate_pages:256 openat:257 newfstatat:262 pselect6:270 ppoll:271 unshare:272 set_robust_list:273
    vmsplice:278 move_pages:279 rt_tgsigqueueinfo:297 perf_event_open:298 fanotify_init:300 prlimit64:302
    name_to_handle_at:303 open_by_handle_at:304 clock_adjtime:305 setns:308 process_vm_readv:310
    process_vm_writev:311 kcmp:312 finit_module:313 getrandom:318 kexec_file_load:320 bpf:321 userfaultfd:323
    membarrier:324 rseq:334 pidfd_send_signal:424 io_uring_setup:425 io_uring_enter:426 io_uring_register:427
    open_tree:428 move_mount:429 fsopen:430 fsconfig:431 fsmount:432 fspick:433 pidfd_open:434 clone3:435
    pidfd_getfd:438 process_madvise:440 mount_setattr:442 quotactl_fd:443 landlock_create_ruleset:444
    landlock_restrict_self:446 process_mrelease:448 set_mempolicy_home_node:450
"""
_AARCH64 = """
    getcwd:17 readlinkat:78 statx:291 setpriority:140 ioprio_set:30
    shmget:194 msgget:186 memfd_create:279 memfd_secret:447
    lookup_dcookie:18 ioctl:29 umount2:39 mount:40 pivot_root:41 nfsservctl:42 chroot:51 openat:56 close:57
    vhangup:58 quotactl:60 lseek:62 read:63 write:64 readv:65 writev:66 pread64:67 pselect6:72 ppoll:73
    vmsplice:75 newfstatat:79 fstat:80 acct:89 personality:92 exit:93 exit_group:94 unshare:97 futex:98
    set_robust_list:99 nanosleep:101 getitimer:102 setitimer:103 kexec_load:104 init_module:105
    delete_module:106 clock_settime:112 clock_gettime:113 clock_getres:114 clock_nanosleep:115 syslog:116
    ptrace:117 sched_getaffinity:123 sched_yield:124 restart_syscall:128 kill:129 tkill:130 tgkill:131
    sigaltstack:132 rt_sigaction:134 rt_sigprocmask:135 rt_sigqueueinfo:138 rt_sigreturn:139 reboot:142
    times:153 getgroups:158 uname:160 sethostname:161 setdomainname:162 getrusage:165 prctl:167 gettimeofday:169
    settimeofday:170 adjtimex:171 getpid:172 getppid:173 getuid:174 geteuid:175 getgid:176 getegid:177
    gettid:178 sysinfo:179 socket:198 socketpair:199 connect:203 sendto:206 recvfrom:207 shutdown:210
    sendmsg:211 recvmsg:212 brk:214 munmap:215 mremap:216 add_key:217 request_key:218 keyctl:219 clone:220
    execve:221 mmap:222 swapon:224 swapoff:225 mprotect:226 msync:227 mincore:232 madvise:233 mbind:235
    set_mempolicy:237 migrate_pages:238 move_pages:239 rt_tgsigqueueinfo:240 perf_event_open:241 prlimit64:261
    fanotify_init:262 name_to_handle_at:264 open_by_handle_at:265 clock_adjtime:266 setns:268
    process_vm_readv:270 process_vm_writev:271 kcmp:272 finit_module:273 getrandom:278 bpf:280 userfaultfd:282
    membarrier:283 rseq:293 kexec_file_load:294 pidfd_send_signal:424 io_uring_setup:425 io_uring_enter:426
    io_uring_register:427 open_tree:428 move_mount:429 fsopen:430 fsconfig:431 fsmount:432 fspick:433
    pidfd_open:434 clone3:435 pidfd_getfd:438 process_madvise:440 mount_setattr:442 quotactl_fd:443
    landlock_create_ruleset:444 landlock_restrict_self:446 process_mrelease:448 set_mempolicy_home_node:450
"""


def _calls(table: str) -> dict[str, int]:
    return {name: int(number) for name, number in (entry.split(":") for entry in table.split())}


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, _calls(_X86_64), x32=True),
    "aarch64": Architecture(0xC00000B7, _calls(_AARCH64)),
}


def this_architecture() -> Architecture | None:
    """The machine's, or None when no filter can be written for it."""
    return ARCHITECTURES.get(os.uname().machine) if os.uname().sysname == "Linux" else None
