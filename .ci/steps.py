"""Runs commands with a time limit, and tables of such steps for `gate` and `long`."""
import collections
import ctypes
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent
os.environ["SWIFT_BACKTRACE"] = "enable=no"
# The packages below install modules for Debian's Python.
os.environ.setdefault("PASTEBOARD_TEST_PYTHON", "/usr/bin/python3")
# A command that is killed may have no time to write what it has printed.
sys.stdout.reconfigure(line_buffering=True)

# Processes whose parent has ended become children of this one, even daemons with sessions and environments of their
# own. So everything that a command leaves running can be found.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

_wake, _signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
signal.set_wakeup_fd(_signalled, warn_on_full_buffer=False)
signal.signal(signal.SIGCHLD, lambda *_: None)
# A command that this one runs is a session of its own, so it has to be ended before this process ends.
signal.signal(signal.SIGTERM, signal.default_int_handler)

_statuses = {}  # by process


def _reap(seconds):
    """Collects the children that have ended, and first waits until one ends or the time is over.

    Adopted processes are collected at once, because tests look whether a process still exists.
    """
    select.select([_wake], [], [], max(seconds, 0))
    try:
        os.read(_wake, 4096)
    except BlockingIOError:
        pass
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
            _statuses[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    except ChildProcessError:
        pass


def _running():
    """The processes below this one."""
    children = collections.defaultdict(list)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text(errors="replace").rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has ended
        if state != "Z":
            children[int(parent)].append(int(stat.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children[process]
    return found[1:]


def _kill_all():
    # A process that waits for a dead file system cannot be killed, hence the end.
    deadline = time.monotonic() + 10
    while (processes := _running()) and time.monotonic() < deadline:
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        _reap(0.05)


def _command(process):
    try:
        words = pathlib.Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        words = ["(ended since)"]
    return f"{process}, {' '.join(words)[:200]}"


def _ends(process, seconds):
    """Waits for the end of a child."""
    deadline = time.monotonic() + seconds
    while process.pid not in _statuses and time.monotonic() < deadline:
        _reap(deadline - time.monotonic())
    process.returncode = _statuses.get(process.pid)
    return process.returncode is not None


def run(command, seconds, **options):
    """Runs a command, and ends all processes that it started.

    Returns its exit status, negative after a signal and None after the time limit, and the processes that it left
    running.
    """
    left = []
    _statuses.clear()  # the kernel reuses identifiers
    try:
        process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, **options)
        try:
            if _ends(process, seconds):
                # A program that has lost its peer may need a moment to end.
                deadline = time.monotonic() + 5
                while (running := _running()) and time.monotonic() < deadline:
                    _reap(0.05)
                left = [_command(process) for process in running]
            return process.returncode, left
        finally:
            if process.returncode is None:
                # A script that is terminated removes its files, and says what it waited for.
                os.killpg(process.pid, signal.SIGTERM)
                _ends(process, 20)
    finally:
        _kill_all()


# A step is a name, a limit in minutes, a command for bash, and optionally the step that has to succeed before.
Step = collections.namedtuple("Step", "name minutes command after", defaults=(None,))

NEEDED = Step("what the checks need", 8, r"""
    packages=""
    command -v protoc >/dev/null || packages="$packages protobuf-compiler"
    /usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || packages="$packages python3-protobuf"
    [ -e /usr/include/google/protobuf/message.h ] || packages="$packages libprotobuf-dev"
    command -v g++ >/dev/null || packages="$packages g++"
    command -v nm >/dev/null || packages="$packages binutils"
    command -v valgrind >/dev/null || packages="$packages valgrind"
    command -v cc >/dev/null || packages="$packages gcc libc6-dev"
    command -v prlimit >/dev/null || packages="$packages util-linux"
    command -v setpriv >/dev/null || packages="$packages util-linux"
    command -v nvim >/dev/null || packages="$packages neovim"
    command -v tmux >/dev/null || packages="$packages tmux"
    command -v vim >/dev/null || packages="$packages vim"
    command -v pass >/dev/null || packages="$packages pass"
    command -v pkill >/dev/null || packages="$packages procps"
    command -v socat >/dev/null || packages="$packages socat"
    command -v Xvfb >/dev/null || packages="$packages xvfb"
    command -v xclip >/dev/null || packages="$packages xclip"
    command -v xsel >/dev/null || packages="$packages xsel"
    command -v sway >/dev/null || packages="$packages sway"
    command -v wl-copy >/dev/null || packages="$packages wl-clipboard"
    ls /usr/lib/*/girepository-1.0/Gtk-3.0.typelib >/dev/null 2>&1 || packages="$packages python3-gi gir1.2-gtk-3.0"
    [ -e /usr/sbin/sshd ] || packages="$packages openssh-server"
    command -v mandoc >/dev/null || packages="$packages mandoc"
    command -v zsh >/dev/null || packages="$packages zsh"
    command -v fish >/dev/null || packages="$packages fish"
    command -v systemd-analyze >/dev/null || packages="$packages systemd"
    [ -e /usr/share/mime/subclasses ] || packages="$packages shared-mime-info"
    [ -z "$packages" ] || apt-get update -qq
    [ -z "$packages" ] || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $packages >/dev/null
""")

STATIC = """
    for product in pasteboardd pasteboard; do
        swift build --quiet -c release --static-swift-stdlib -Xswiftc -static-executable --scratch-path .build/static \
            --product $product
    done
"""


def main(steps):
    """Runs the steps whose names contain one of the arguments, or all steps. Prints a table of them at the end."""
    os.chdir(root)
    chosen = [step for step in steps if not sys.argv[1:] or any(word in step.name for word in sys.argv[1:])]
    if not chosen:
        sys.exit(f"no such step; the steps are: {', '.join(step.name for step in steps)}")
    results = {}
    seconds = {}
    for step in chosen:
        start = time.monotonic()
        print(f"\n== {step.name} ({time.strftime('%T')})")
        if step.after and results.get(step.after, "ok") != "ok":
            results[step.name] = f"not run, because it needs: {step.after}"
        else:
            try:
                status, left = run(["bash", "-euo", "pipefail", "-c", step.command.strip()], step.minutes * 60)
            except KeyboardInterrupt:
                sys.exit(130)
            for process in left:
                print(f"left running: {process}")
            results[step.name] = (
                f"did not end within {step.minutes} min" if status is None else
                f"failed with status {status}" if status != 0 else
                "left processes running" if left else "ok"
            )
        seconds[step.name] = time.monotonic() - start
        if results[step.name] != "ok":
            print(results[step.name])
    print(f"\n{'seconds':>7}  step")
    for name, result in results.items():
        print(f"{seconds[name]:7.0f}  {name}: {result}")
    print(f"{sum(seconds.values()):7.0f}  all")
    sys.exit(any(result != "ok" for result in results.values()))
