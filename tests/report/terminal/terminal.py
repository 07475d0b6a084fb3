# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal that a test drives: `with Terminal(words) as at: at.press("2"); at.lines()`.

The terminal is a pty, its screen is pyte's. press() returns when the program has read all keys and
waits for the next one, so nothing depends on how long it takes.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import termios

import pyte

KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[1~", "end": "\x1b[4~",
        "page-up": "\x1b[5~", "page-down": "\x1b[6~", "tab": "\t", "back-tab": "\x1b\t", "enter": "\r", "escape": "\x1b", "backspace": "\x7f"}
READ = "0"  # the number of the system call on x86-64; aarch64's is 63


class Terminal:
    def __init__(self, words, columns=80, rows=24, environment=None):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.bytes = b""
        self.status = None
        begin, may_begin = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            self.set_size(columns, rows, 0)
            try:
                os.read(begin, 1)  # once the settings are known
                os.execve(words[0], words, {"PATH": os.environ["PATH"], "TERM": "linux", "LC_ALL": "C.UTF-8", **(environment or {})})
            finally:
                os._exit(127)
        self.settings = termios.tcgetattr(self.fd)
        os.write(may_begin, b".")
        os.close(begin)
        os.close(may_begin)

    def __enter__(self):
        self.settle()
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def set_size(self, columns, rows, fd=None):
        fcntl.ioctl(self.fd if fd is None else fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self, wait=0.0):
        """Takes what was written; False where nobody is left to write."""
        while select.select([self.fd], [], [], wait)[0]:
            try:
                part = os.read(self.fd, 65536)
            except OSError:  # of a pty whose other side is closed
                return False
            self.bytes += part
            self.stream.feed(part)
            wait = 0
        return True

    def reads(self):
        with open(f"/proc/{self.pid}/io", encoding="ascii") as facts:
            return int(next(line for line in facts if line.startswith("syscr")).split()[1])

    def is_waiting(self):
        with open(f"/proc/{self.pid}/syscall", encoding="ascii") as facts:
            return facts.read().split()[:2] == [READ, "0x0"]

    def settle(self, least_reads=0):
        """Waits until the program waits for a key, having read so often; or has ended."""
        while self.drain(0.002):
            if self.reads() >= least_reads and self.is_waiting() and not select.select([self.fd], [], [], 0)[0]:
                return
        self.end()

    def press(self, *keys):
        """Names of KEYS, or letters."""
        for key in keys:
            sent = KEYS.get(key, key).encode()
            wanted = self.reads() + len(sent)
            os.write(self.fd, sent)
            self.settle(wanted)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        before = self.reads()
        self.set_size(columns, rows)
        self.settle(before + 1)  # the signal ends a read

    def end(self):
        if self.status is None:
            _, self.status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(self.status)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())
