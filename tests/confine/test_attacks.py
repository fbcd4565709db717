"""Attacks on the sandbox, each as ourselves and as an ordinary user, with each backend."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.confine import Finished
from rolltop.confine.kernel.syscalls import this_architecture
from rolltop.confine.scratch import remove_tree

Attack = Callable[..., Finished]

PYTHON = "/usr/bin/python3"


def python(code: str) -> list[str]:
    return [PYTHON, "-I", "-c", code]


def test_the_rung_that_was_asked_for_is_the_one_that_is_reported(attack: Attack, rung: str) -> None:
    finished = attack("true")
    assert finished.confinement.rung == rung.split(maxsplit=1)[0]
    assert ("own network" in finished.confinement.features) == (rung != "landlock alone")


# Reading


def test_nothing_of_the_machine_but_its_programs_can_be_read(attack: Attack) -> None:
    places = "/root /home /etc/shadow /etc/hostname /etc/ssh /var/log /sys/kernel /boot /run /srv /mnt /media"
    finished = attack(f"for place in {places}; do cat $place || ls -A $place/; done 2>/dev/null")
    assert finished.stdout == b""


def test_files_of_the_host_stay_out_of_reach(attack: Attack, open_dir: Path) -> None:
    secret = open_dir / "secret.txt"
    secret.write_text("canary-7391")
    finished = attack(
        f"cat {secret}; cat /proc/1/root{secret}; cat /proc/self/root{secret}; ln -s {secret} /tmp/l; cat /tmp/l"
    )
    assert b"canary" not in finished.stdout + finished.stderr


def test_the_environment_does_not_leak(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLTOP_HTTP_TOKEN", "canary-5520")
    seen = attack("env; cat /proc/self/environ /proc/1/environ /proc/*/environ 2>/dev/null").stdout
    assert b"canary" not in seen
    names = {line.split(b"=")[0] for line in seen.split(b"\n") if b"=" in line and b"\0" not in line}
    assert names <= {b"PATH", b"HOME", b"LANG", b"TZ", b"TMPDIR", b"PWD", b"OLDPWD", b"SHLVL", b"_"}


def test_descriptors_of_the_server_do_not_leak(attack: Attack) -> None:
    with open("/etc/hostname") as _, socket.socket() as _:
        finished = attack(
            python("import os\nfor fd in range(3, 200):\n try: os.fstat(fd); print(fd)\n except OSError: pass")
        )
    assert finished.stdout == b""


def test_other_processes_of_the_host_are_out_of_sight(attack: Attack, rung: str) -> None:
    finished = attack("ls /proc | grep -c '^[0-9]'")
    if rung == "bwrap":
        assert int(finished.stdout) < 8
    else:
        assert int(finished.stdout or 0) == 0


# Writing


def test_nothing_of_the_system_can_be_written(attack: Attack) -> None:
    places = "/x /usr/x /usr/bin/sh /etc/x /etc/passwd /var/x /dev/x /proc/sys/kernel/hostname /opt/x /lib/x"
    finished = attack(f"for place in {places}; do echo bad >> $place && echo $place; done 2>/dev/null")
    assert finished.stdout == b""
    assert not any(map(os.path.exists, ("/x", "/usr/x", "/etc/x", "/var/x", "/opt/x")))


def test_a_read_only_mount_is_read_only_and_a_writable_one_is_not(attack: Attack, open_dir: Path) -> None:
    (open_dir / "in").mkdir()
    (open_dir / "out").mkdir()
    (open_dir / "in" / "data").write_text("data")
    for directory in ("in", "out"):
        (open_dir / directory).chmod(0o777)
    (open_dir / "in" / "data").chmod(0o666)
    mounts = ((str(open_dir / "in"), "/job", False), (str(open_dir / "out"), "/out", True))
    attack("cat /job/data > /out/copy; echo x >> /job/data; echo x > /job/new; rm -f /job/data", mounts=mounts)
    assert (open_dir / "out" / "copy").read_text() == "data"
    assert (open_dir / "in" / "data").read_text() == "data"
    assert os.listdir(open_dir / "in") == ["data"]


# The network


def test_a_server_on_this_machine_cannot_be_reached(attack: Attack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        finished = attack(python(f"import socket; socket.create_connection(('127.0.0.1', {port}), 2).send(b'x')"))
        assert finished.exit_code == 1
        with pytest.raises(TimeoutError):
            server.accept()


def test_odd_kinds_of_sockets_are_refused(attack: Attack) -> None:
    code = """
import socket
for family in (socket.AF_PACKET, socket.AF_VSOCK, socket.AF_ALG, socket.AF_BLUETOOTH, socket.AF_CAN):
    for kind in (socket.SOCK_RAW, socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try: print(family, socket.socket(family, kind))
        except OSError: pass
"""
    assert attack(python(code)).stdout == b""


def test_an_abstract_socket_of_this_machine_cannot_be_reached(attack: Attack) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0rolltop-test-canary")
        server.listen()
        finished = attack(
            python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0rolltop-test-canary')")
        )
    assert finished.exit_code == 1


def test_a_unix_socket_in_the_file_system_cannot_be_reached(attack: Attack, open_dir: Path) -> None:
    place = str(open_dir / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        os.chmod(place, 0o777)
        server.listen()
        finished = attack(python(f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({place!r})"))
    assert finished.exit_code == 1


# Privileges


def test_no_capability_is_left_and_set_user_id_gains_nothing(attack: Attack) -> None:
    assert attack("su -c id </dev/null || mount -t tmpfs x /tmp || chroot / true").exit_code != 0
    finished = attack(python("import os; print(os.getresuid(), os.getgroups()); os.setuid(0)"))
    assert finished.exit_code == 1
    assert b"(0," not in finished.stdout


def test_no_namespace_can_be_made(attack: Attack) -> None:
    finished = attack("for flag in -U -n -m -i -u -Ur -C; do unshare $flag echo $flag; done 2>/dev/null")
    assert finished.stdout == b""


def test_dangerous_system_calls_are_refused(attack: Attack) -> None:
    calls = this_architecture().calls  # type: ignore[union-attr]
    names = (
        "ptrace mount bpf keyctl perf_event_open io_uring_setup userfaultfd process_vm_readv open_by_handle_at setns"
    )
    numbers = {name: calls[name] for name in [*names.split(), "clone3", "unshare", "pivot_root", "init_module"]}
    code = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {numbers}.items():
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38): print(name, ctypes.get_errno())
print('asked')
"""
    assert attack(python(code)).stdout == b"asked\n"


def test_a_process_of_the_host_cannot_be_traced_or_signalled(attack: Attack) -> None:
    victim = subprocess.Popen(["/bin/sleep", "60"], user=12345 if os.geteuid() == 0 else None)
    try:
        code = f"""
import os, ctypes
try: os.kill({victim.pid}, 9)
except OSError as error: print(type(error).__name__)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, {victim.pid}, 0, 0))
try: open('/proc/{victim.pid}/mem', 'rb').read(1)
except OSError as error: print(type(error).__name__)
"""
        attack(python(code))
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


def test_a_terminal_cannot_be_fed(attack: Attack) -> None:
    assert attack(python("import fcntl; fcntl.ioctl(0, 0x5412, b'x')")).exit_code == 1


# Limits


def test_memory_of_one_process_is_limited(attack: Attack) -> None:
    finished = attack(python("x = bytearray(1 << 30)"), memory=256 << 20)
    assert finished.reason == "memory"


def test_memory_is_watched_where_addresses_are_free(attack: Attack) -> None:
    code = "import mmap, time; far = mmap.mmap(-1, 8 << 30); print('reserved', flush=True); x = b'x' * (300 << 20)"
    code += "; time.sleep(20)"
    finished = attack(python(code), memory=200 << 20, address_space=16 << 30)
    assert finished.stdout == b"reserved\n"
    assert finished.reason == "memory"


def test_memory_of_many_processes_together_is_limited(attack: Attack) -> None:
    code = "import os, time\nfor _ in range(8):\n if os.fork() == 0: break\nx = bytearray(60 << 20); time.sleep(20)"
    finished = attack(python(code), memory=200 << 20)
    assert finished.reason == "memory"


def test_a_fork_bomb_stays_small_and_ends(attack: Attack) -> None:
    code = """
import os, time
count = 0
try:
    for _ in range(300):
        if os.fork() == 0: time.sleep(30)
        count += 1
except OSError: pass
print(count, flush=True)
os._exit(0)
"""
    finished = attack(python(code), processes=30)
    assert 5 < int(finished.stdout) <= 40
    bomb = attack(":(){ :|:& };:; sleep 30", processes=30, seconds=1.5)
    assert bomb.reason in ("time", "exit")


def test_processor_time_is_limited(attack: Attack) -> None:
    finished = attack("while :; do :; done", cpu_seconds=1, seconds=15)
    assert finished.reason in ("cpu", "signal")


def test_an_endless_loop_ends_in_time(attack: Attack) -> None:
    finished = attack("while :; do :; done", seconds=0.7)
    assert finished.reason == "time"


def test_ignoring_signals_does_not_help(attack: Attack) -> None:
    finished = attack("trap '' TERM INT HUP; while :; do sleep 1; done", seconds=0.7)
    assert finished.reason == "time"


def test_closing_the_output_does_not_help(attack: Attack) -> None:
    finished = attack("exec >&- 2>&-; while :; do :; done", seconds=0.7)
    assert finished.reason == "time"


def test_a_large_file_is_refused(attack: Attack) -> None:
    finished = attack("head -c 3000000 /dev/zero > /tmp/large", file_size=1_000_000)
    assert finished.reason == "file_size" or finished.exit_code


def test_the_disk_cannot_be_filled_with_many_files(attack: Attack) -> None:
    script = "i=0; while :; do i=$((i+1)); head -c 900000 /dev/zero > /tmp/f$i || exit 9; done"
    finished = attack(script, file_size=1_000_000, tmp_size=10_000_000, disk=10_000_000, seconds=15)
    assert finished.exit_code == 9 or finished.reason == "disk"


def test_no_place_is_writable_without_a_limit(attack: Attack, rung: str) -> None:
    script = """
for place in / /dev /dev/shm /tmp /etc /run /var /opt /usr /proc; do
  f=$place/fill; head -c 8000000 /dev/zero > $f 2>/dev/null && [ $(wc -c < $f) -ge 8000000 ] && echo $place
done; true"""
    finished = attack(script, tmp_size=4_000_000, disk=4_000_000)
    # The second rung has no /tmp of a fixed size: what lies in its private one is watched.
    assert [place for place in finished.stdout.split() if b"rolltop-" not in place] == []


def test_endless_output_ends(attack: Attack) -> None:
    finished = attack("yes", output=1_000_000)
    assert finished.reason == "output"
    assert len(finished.stdout) == 1_000_000


def test_endless_output_on_the_error_stream_ends(attack: Attack) -> None:
    assert attack("yes >&2", output=1_000_000).reason == "output"


def test_memory_that_belongs_to_no_process_cannot_be_had(attack: Attack) -> None:
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
try: print('memfd', os.memfd_create('x'))
except OSError: pass
if libc.shmget(0, 1 << 30, 0o1600) >= 0: print('shm')
if libc.msgget(0, 0o1600) >= 0: print('msg')
"""
    assert attack(python(code)).stdout == b""


def test_shared_memory_of_many_processes_is_limited(attack: Attack) -> None:
    code = """
import mmap, os, time
for _ in range(6):
    if os.fork() == 0: break
memory = mmap.mmap(-1, 80 << 20)
for place in range(0, 80 << 20, 4096): memory[place] = 1
time.sleep(20)
"""
    finished = attack(python(code), memory=200 << 20)
    assert finished.reason == "memory"


def test_nesting_deep_hides_nothing_and_can_be_removed(attack: Attack, open_dir: Path) -> None:
    (open_dir / "out").mkdir()
    (open_dir / "out").chmod(0o777)
    code = """
import os, time
os.chdir('/out')
for _ in range(1500):
    os.mkdir('d' * 50); os.chdir('d' * 50)
open('hidden', 'wb').write(bytes(1000))
time.sleep(20)
"""
    source = str(open_dir / "out")
    finished = attack(python(code), mounts=((source, "/out", True),), disk=100_000_000)
    assert finished.reason == "disk"
    remove_tree(open_dir / "out")
    assert not (open_dir / "out").exists()


# Nothing is left


def processes_with(marker: str) -> list[int]:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if marker.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                    found.append(int(entry))
            except OSError:
                continue
    return [pid for pid in found if pid != os.getpid()]


def gone(marker: str) -> bool:
    return wait_until(lambda: not processes_with(marker))


def test_daemons_end_with_the_program(attack: Attack) -> None:
    marker = f"31{threading.get_ident() % 100000}.77"
    finished = attack(f"setsid sh -c 'setsid sleep {marker} >/dev/null 2>&1 & exit' & sleep 0.2; exit 0")
    assert finished.exit_code == 0
    assert gone(marker)


def test_daemons_end_when_time_is_up(attack: Attack) -> None:
    marker = f"32{threading.get_ident() % 100000}.77"
    attack(f"setsid sh -c 'setsid sleep {marker} & setsid sleep {marker}' & sleep 30", seconds=0.7)
    assert gone(marker)


def sleepers(marker: str) -> int:
    """How many `sleep` programs with this marker run."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += entry.read_bytes().split(b"\0")[:2] == [b"sleep", marker.encode()]
    return found


def test_a_killed_parent_leaves_no_orphan(rung: str) -> None:
    marker = f"33{os.getpid()}.77"
    code = f"""
from rolltop.confine import *
from rolltop.confine import sandbox_backends
if {rung!r} == "landlock alone":
    sandbox_backends.state_of = lambda rung: sandbox_backends.RungState(rung, True, ("file system",))
box = Sandbox(Limits(seconds=60), rungs=({rung.split(maxsplit=1)[0]!r},))
run(["/bin/sh", "-c", "setsid sleep {marker} & sleep {marker}"], box)
"""
    parent = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: sleepers(marker) == 2)  # the program itself runs, not only what starts it
    parent.kill()
    parent.wait()
    assert gone(marker)
