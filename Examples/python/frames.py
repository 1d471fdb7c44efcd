"""A connection to the broker: its socket and its frames. The numbers of rules are those of Protocol.md."""

import collections
import os
import select
import socket
import stat
import struct
import sys

from google.protobuf.message import DecodeError

import pasteboard_pb2 as pb  # made by protoc from pasteboard.proto, see README.md

HEADER = struct.Struct("<IBBBBQ")
LAST, MUST_UNDERSTAND = 1, 2
CHUNK, MOST_CONTROL, MOST_DATA = 65536, 65536, 262144
MESSAGES = {  # of the frames that the broker sends
    pb.FRAME_KIND_WELCOME: pb.Welcome, pb.FRAME_KIND_ITEM: pb.Item, pb.FRAME_KIND_ASK: pb.Ask,
    pb.FRAME_KIND_ANSWER: pb.Answer, pb.FRAME_KIND_COMMITTED: pb.Committed, pb.FRAME_KIND_REGISTERED: pb.Registered,
    pb.FRAME_KIND_SESSION: pb.Session, pb.FRAME_KIND_UPDATE: pb.SessionUpdate, pb.FRAME_KIND_PERFORM: pb.Perform,
    pb.FRAME_KIND_TRANSFERRED: pb.Transferred, pb.FRAME_KIND_END: pb.End, pb.FRAME_KIND_ERROR: pb.Failure,
    pb.FRAME_KIND_CANCEL: pb.Cancel, pb.FRAME_KIND_CREDIT: pb.Credit, pb.FRAME_KIND_PROGRESS: pb.Progress,
    pb.FRAME_KIND_ENTER: pb.SessionEnter, pb.FRAME_KIND_EXIT: pb.SessionExit,
}
SENT = {  # The sorts of streams on which the broker sends a kind: 0, request, ask, session
    pb.FRAME_KIND_WELCOME: "0", pb.FRAME_KIND_ITEM: "rs", pb.FRAME_KIND_ASK: "a", pb.FRAME_KIND_ANSWER: "r",
    pb.FRAME_KIND_COMMITTED: "r", pb.FRAME_KIND_CONTENTS: "r", pb.FRAME_KIND_STATUS_ENTRY: "r",
    pb.FRAME_KIND_REGISTERED: "r", pb.FRAME_KIND_SESSION: "s", pb.FRAME_KIND_UPDATE: "s", pb.FRAME_KIND_PERFORM: "s",
    pb.FRAME_KIND_DROPPED: "r", pb.FRAME_KIND_TRANSFERRED: "rs", pb.FRAME_KIND_CHANGE: "r", pb.FRAME_KIND_DATA: "r",
    pb.FRAME_KIND_END: "rs", pb.FRAME_KIND_ERROR: "0ras", pb.FRAME_KIND_CANCEL: "a", pb.FRAME_KIND_CREDIT: "a",
    pb.FRAME_KIND_PROGRESS: "r", pb.FRAME_KIND_ENTER: "s", pb.FRAME_KIND_EXIT: "rs", pb.FRAME_KIND_PROPOSAL: "r",
}
ANSWERS = {  # the kinds that may follow on a stream, by the kind that opened it
    pb.FRAME_KIND_WRITE: {pb.FRAME_KIND_COMMITTED, pb.FRAME_KIND_END, pb.FRAME_KIND_ERROR},
    pb.FRAME_KIND_LOAD: {pb.FRAME_KIND_ANSWER, pb.FRAME_KIND_DATA, pb.FRAME_KIND_PROGRESS, pb.FRAME_KIND_END,
                         pb.FRAME_KIND_ERROR},
    pb.FRAME_KIND_DESTINATION: {pb.FRAME_KIND_REGISTERED, pb.FRAME_KIND_EXIT, pb.FRAME_KIND_ERROR},
    pb.FRAME_KIND_ASK: {pb.FRAME_KIND_CREDIT, pb.FRAME_KIND_CANCEL, pb.FRAME_KIND_ERROR},
    pb.FRAME_KIND_SESSION: {pb.FRAME_KIND_SESSION, pb.FRAME_KIND_ITEM, pb.FRAME_KIND_ENTER, pb.FRAME_KIND_UPDATE,
                            pb.FRAME_KIND_EXIT, pb.FRAME_KIND_PERFORM, pb.FRAME_KIND_TRANSFERRED, pb.FRAME_KIND_END,
                            pb.FRAME_KIND_ERROR},
}
ENDS = {pb.FRAME_KIND_END, pb.FRAME_KIND_ERROR, pb.FRAME_KIND_CANCEL}
Frame = collections.namedtuple("Frame", "kind flags stream message descriptor")


class Failed(Exception):
    def __init__(self, code, text):
        name = pb.ErrorCode.Name(code) if code in pb.ErrorCode.values() else "code %d" % code
        super().__init__("%s: %s" % (name.removeprefix("ERROR_CODE_").lower().replace("_", "-"), text))
        self.code, self.text = code, text


def socket_path():  # P1, P2
    if path := os.environ.get("PASTEBOARD_SOCKET"):
        return path if path.startswith("/") else sys.exit("PASTEBOARD_SOCKET is not an absolute path")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and not runtime.startswith("/"):
        sys.exit("XDG_RUNTIME_DIR is not an absolute path")
    if os.path.isdir(runtime):
        return runtime + "/pasteboard/socket"
    runtime = "/run/user/%d" % os.getuid()
    if os.path.isdir(runtime) and is_private(runtime):
        return runtime + "/pasteboard/socket"
    state = os.environ.get("XDG_STATE_HOME", "")
    state = state if state.startswith("/") else os.environ["HOME"] + "/.local/state"
    with open("/proc/sys/kernel/random/boot_id") as file:
        return "%s/pasteboard/%s/socket" % (state, file.read().strip())


def is_private(directory):
    status = os.stat(directory)
    return status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) & 0o077 == 0


def violation(what):
    sys.exit("the broker violates the protocol: %s" % what)


class Connection:
    def __init__(self, label, features=()):
        path = socket_path()
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            if not is_private(os.path.dirname(path)):  # P3
                sys.exit("the directory of %s is open to others" % path)
            self.socket.connect(path)
        except OSError as error:
            sys.exit("no broker at %s: %s; `pasteboard broker` runs one" % (path, error.strerror))
        self.socket.setblocking(False)
        if struct.unpack("3i", self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1] != os.getuid():  # P4
            sys.exit("the broker at %s belongs to another user" % path)
        self.input, self.descriptors, self.later = bytearray(), [], collections.deque()
        self.next_stream, self.is_over = 1, False
        self.streams = {}  # the kind that opened each open stream
        hello = pb.Hello(minimum_version=1, maximum_version=1, label=label, features=features, maximum_streams=16)
        self.send(pb.FRAME_KIND_HELLO, 0, hello)
        welcome = self.receive()
        if welcome.kind != pb.FRAME_KIND_WELCOME:  # C6
            sys.exit("the broker did not send welcome")
        self.passes_descriptors = pb.FEATURE_DESCRIPTORS in welcome.message.features

    def open(self, kind, message):
        stream, self.next_stream = self.next_stream, self.next_stream + 2  # S1
        self.streams[stream] = kind
        self.send(kind, stream, message)
        return stream

    def send(self, kind, stream, message=b"", flags=0, descriptor=None):
        if kind in ENDS or flags & LAST and stream % 2 == 0:  # S3
            self.streams.pop(stream, None)
        payload = message if isinstance(message, bytes) else message.SerializeToString()
        rest = HEADER.pack(len(payload), kind, flags, descriptor is not None, 1, stream) + payload
        rights = []
        if descriptor is not None:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", descriptor))]
        while rest:
            try:
                rest, rights = rest[self.socket.sendmsg([rest], rights, socket.MSG_NOSIGNAL):], []  # U7
            except BlockingIOError:  # The broker may wait until this program has read (O6).
                if self.wait(select.POLLIN | select.POLLOUT) & select.POLLIN:
                    self.read()
            except (BrokenPipeError, ConnectionResetError):
                return  # What the broker sent before is still to be received (C10).

    def wait(self, events):
        poll = select.poll()
        poll.register(self.socket, events)
        return poll.poll()[0][1]

    def read(self):
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, 1 << 18, 16, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            data, descriptors = b"", []
        self.input += data
        self.descriptors += descriptors
        self.is_over = not data
        return True

    def accepts(self, kind, flags, count, stream):
        """Whether a frame of the broker counts, or is late. A violation ends the program."""
        sort = "0" if stream == 0 else "r" if stream % 2 else "s" if stream & 1 << 31 else "a"
        opens = kind in (pb.FRAME_KIND_ASK, pb.FRAME_KIND_SESSION)
        # A client cannot tell the sort of an even stream that it does not know (S12).
        sorts = sort if sort in "0r" or stream in self.streams or opens else "as"
        if not set(sorts) & set(SENT.get(kind, "")):
            violation("kind %d on stream %d" % (kind, stream))  # S8
        if stream == 0:
            return True
        if sort == "r" and stream >= self.next_stream:
            violation("stream %d was never opened" % stream)  # S9
        if opens and stream not in self.streams:
            self.streams[stream] = kind
            return True
        if stream not in self.streams:
            return False  # S10
        if kind not in ANSWERS[self.streams[stream]]:
            violation("kind %d does not belong on stream %d" % (kind, stream))  # S11
        is_last = flags & LAST and (kind == pb.FRAME_KIND_DATA or count)
        if kind in ENDS or is_last:  # S3
            del self.streams[stream]
        return True

    def receive(self, blocking=True):
        """The next frame that is known, with its decoded message, or None if none is there and it must not wait."""
        if self.later:
            return self.later.popleft()
        while True:
            if len(self.input) >= HEADER.size:
                length, kind, flags, count, version, stream = HEADER.unpack_from(self.input)
                if version != 1 or count > 1 or length > (MOST_DATA if kind == pb.FRAME_KIND_DATA else MOST_CONTROL):
                    sys.exit("the broker violates the protocol")  # F3, F5, U3
                if len(self.input) >= HEADER.size + length:
                    payload = bytes(self.input[HEADER.size:HEADER.size + length])
                    del self.input[:HEADER.size + length]
                    if count and not self.descriptors:
                        sys.exit("the broker did not pass a descriptor")  # U3
                    descriptor = self.descriptors.pop(0) if count else None
                    if not kind or kind not in pb.FrameKind.values():  # F7
                        if flags & MUST_UNDERSTAND:
                            sys.exit("the broker sent a frame of the unknown kind %d" % kind)
                        continue
                    if not self.accepts(kind, flags, count, stream):
                        if descriptor is not None:
                            os.close(descriptor)
                        continue
                    if kind == pb.FRAME_KIND_DATA:
                        return Frame(kind, flags, stream, payload, descriptor)
                    try:
                        message = MESSAGES[kind].FromString(payload)  # M7
                    except DecodeError:
                        sys.exit("the broker sent a malformed message")
                    if stream == 0 and kind == pb.FRAME_KIND_ERROR:
                        raise Failed(message.code, message.text)
                    return Frame(kind, flags, stream, message, descriptor)
            if self.is_over:
                raise ConnectionResetError("the broker has ended")
            if not self.read():
                if not blocking:
                    return None
                self.wait(select.POLLIN)
