#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attach ROCprofiler-SDK to a running process through one of the attach libraries.

As a program: rocprofv3-attach.py -p PID [-d MSEC], or with ROCPROF_ATTACH_PID,
ROCPROF_ATTACH_DURATION and ROCPROF_ATTACH_LIBRARY in the environment.
From Python: main(pid, attach_library, duration).  What to record is said by the
ROCP* variables of the environment, as rocprofv3 sets them.
"""
import argparse
import ctypes
import os
import re
import select
import signal
import stat
import sys
import time

NEW = "librocprofiler-sdk-rocattach.so"
OLD = "librocprofv3-attach.so"
UNITS = {"": 1, "ms": 1, "s": 1000, "m": 60000}
LOOK_SECONDS = 0.1
EXIT_FAILED = 1
EXIT_USAGE = 2


def milliseconds(text):
    """5000, "5000", "500ms", "10s", "2m"; None and "" mean: until Enter."""
    if text is None or text == "":
        return None
    found = re.fullmatch(r"([0-9]+)(ms|s|m|)", str(text))
    if not found or int(found.group(1)) == 0:
        raise ValueError("'%s' is no duration: give milliseconds, or a number with ms, s or m" % text)
    return int(found.group(1)) * UNITS[found.group(2)]


def default_library():
    """The library beside this file, laid out as in ROCm's prefix or as it was built."""
    here = os.path.dirname(os.path.realpath(__file__))
    for folder in ("lib", "../lib", ".", "../../build/" + os.uname().machine):
        for name in (NEW, "rocprofiler-sdk/" + OLD, OLD):
            path = os.path.normpath(os.path.join(here, folder, name + ".1"))
            if os.path.exists(path):
                return path
    return NEW + ".1"


def library_from_environment():
    """ROCPROF_ATTACH_LIBRARY; in ROCm 7.1 the variable of the tool named the attach library."""
    named = os.environ.get("ROCPROF_ATTACH_LIBRARY")
    older = os.environ.get("ROCPROF_ATTACH_TOOL_LIBRARY", "")
    if not named and os.path.basename(older).startswith((NEW, OLD)):
        named = older
    return named or default_library()


def wants_children():
    return os.environ.get("ROCPROF_ATTACH_CHILDREN", "1").lower() not in ("0", "false", "no", "off", "n", "f")


class Library:
    """Either generation of the interface."""

    def __init__(self, path, children):
        self.path = path
        library = ctypes.CDLL(path)
        suffix = "_tree" if children and hasattr(library, "rocattach_attach_tree") else ""
        self.new = hasattr(library, "rocattach_attach")
        if self.new:
            self._attach = getattr(library, "rocattach_attach" + suffix)
            self._detach = getattr(library, "rocattach_detach" + suffix)
            self._attach.argtypes = self._detach.argtypes = [ctypes.c_int]
        else:
            self._attach, self._detach = library.attach, library.detach
            self._attach.argtypes, self._detach.argtypes = [ctypes.c_uint], []
        self._attach.restype = self._detach.restype = ctypes.c_int

    def attach(self, pid):
        return self._attach(pid)

    def detach(self, pid):
        return self._detach(pid) if self.new else self._detach()


class Signals:
    """Remembers the first signal that asks to end, while it is in force."""

    def __init__(self):
        self.caught = None
        self.before = {}

    def __enter__(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue            # nohup
            try:
                self.before[number] = signal.signal(number, self._catch)
            except ValueError:      # not the main thread: then the program around us has them
                break
        return self

    def __exit__(self, *unused):
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _catch(self, number, _frame):
        self.caught = self.caught or number


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def watched_input():
    """stdin, if its end can mean something: a terminal or a pipe."""
    try:
        file = sys.stdin.fileno()
        mode = os.fstat(file).st_mode
    except (AttributeError, OSError, ValueError):
        return []
    return [file] if os.isatty(file) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else []


def has_ended(files):
    """Enter or the end of the input."""
    try:
        ready = select.select(files, [], [], LOOK_SECONDS)[0]
    except InterruptedError:
        return False
    return bool(ready) and (lambda text: not text or b"\n" in text)(os.read(files[0], 4096))


def wait(pid, duration, signals):
    """Until the time is over, Enter, a signal, or the end of the process."""
    files = [] if duration is not None else watched_input()
    end = None if duration is None else time.monotonic() + duration / 1000.0
    while not signals.caught and is_alive(pid):
        if end is not None:
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, LOOK_SECONDS))
        elif has_ended(files):
            return


def detach(library, pid):
    print("Detaching. Please wait, this can take up to 1-2 minutes", flush=True)
    ended = not is_alive(pid)
    status = library.detach(pid)
    if status == 0:
        print("Detaching from PID %d using library %s :: success" % (pid, library.path), flush=True)
        return 0
    if ended:
        print("PID %d has ended" % pid, flush=True)
        return EXIT_FAILED
    print("Calling detach in %s returned non-zero status %d" % (library.path, status), flush=True)
    return EXIT_FAILED


def main(pid, attach_library=None, duration=None):
    """Attach, wait, detach.  Returns 0, or what a program should exit with.

    RuntimeError: the process could not be attached; ValueError: a wrong argument;
    OSError: the library cannot be loaded.
    """
    pid = int(pid)
    duration = milliseconds(duration)
    path = attach_library or library_from_environment()
    print("Attaching to PID %d using library %s" % (pid, path), flush=True)
    library = Library(path, wants_children())
    with Signals() as signals:
        status = library.attach(pid)
        if status != 0:
            raise RuntimeError("Calling attach in %s returned non-zero status %d" % (path, status))
        print("Attaching to PID %d using library %s :: success" % (pid, path), flush=True)
        if duration is None:
            print("Press Enter to detach...", end="", flush=True)
        else:
            print("Attaching for %d msec...\n" % duration, flush=True)
        wait(pid, duration, signals)
        caught = signals.caught
        if caught:
            print("\nCaught signal %s" % signal.Signals(caught).name, flush=True)
        elif duration is None:
            print(flush=True)
        status = detach(library, pid)
    if status == 0 and caught and caught != signal.SIGINT:
        return 128 + caught
    return status


def read_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", "--pid", "--attach", type=int, default=os.environ.get("ROCPROF_ATTACH_PID") or None)
    parser.add_argument("-d", "--attach-duration-msec", default=os.environ.get("ROCPROF_ATTACH_DURATION"),
                        help="detach after this time; without it, when Enter is pressed")
    parser.add_argument("--attach-library", help="default: $ROCPROF_ATTACH_LIBRARY, or the one beside this file")
    parser.add_argument("-t", "--attach-tool-library", help="the tool, as the process sees it")
    parser.add_argument("--attach-children", metavar="BOOL", help="descendants, too (default: true)")
    arguments = parser.parse_args(words)
    if arguments.pid is None:
        parser.error("no process was given: use -p PID or ROCPROF_ATTACH_PID")
    return arguments


def program(words):
    arguments = read_arguments(words)
    library = arguments.attach_library or library_from_environment()
    if arguments.attach_tool_library is not None:
        os.environ["ROCPROF_ATTACH_TOOL_LIBRARY"] = arguments.attach_tool_library
    if arguments.attach_children is not None:
        os.environ["ROCPROF_ATTACH_CHILDREN"] = arguments.attach_children
    os.environ.setdefault("ROCATTACH_LOG_LEVEL", "error")       # or nobody would hear why
    try:
        return main(arguments.pid, library, arguments.attach_duration_msec)
    except ValueError as error:
        print("rocprof-attach: ERROR: %s" % error, file=sys.stderr)
        return EXIT_USAGE
    except (OSError, RuntimeError) as error:
        print("rocprof-attach: ERROR: %s" % error, file=sys.stderr)
        return EXIT_FAILED


if __name__ == "__main__":
    sys.exit(program(sys.argv[1:]))
