"""Offers a file on a pasteboard. Its bytes are read when a destination loads them, until other contents replace it."""

import argparse
import fcntl
import os
import stat
import sys

import pasteboard_pb2 as pb
from frames import CHUNK, LAST, Connection, Failed, violation


class Ask:
    """One request for the bytes of the file, from `ask` to its end."""

    def __init__(self, connection, stream, path, credit):
        self.connection, self.stream, self.credit, self.offset = connection, stream, credit, 0
        self.file = open_file(path)
        self.size = os.fstat(self.file.fileno()).st_size

    @property
    def is_ready(self):  # Credit covers bytes, so the end of an empty file needs none (O1).
        return self.offset < self.credit or self.size == 0

    def send(self):
        """Sends the next bytes. Returns whether they were the last ones."""
        data = os.pread(self.file.fileno(), min(CHUNK, self.credit - self.offset, self.size - self.offset), self.offset)
        self.offset += len(data)
        is_last = self.offset == self.size
        if not data and not is_last:
            raise OSError("the file has become shorter")
        self.connection.send(pb.FRAME_KIND_DATA, self.stream, data, LAST if is_last else 0)
        return is_last


def open_file(path):
    file = open(path, "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise OSError("%s is not a regular file" % path)
    return file


def keep(connection, stream, path):
    """Sends the bytes with the item: as a sealed memory file (U5), or in frames (W3)."""
    with open_file(path) as file:
        if connection.passes_descriptors:
            with open(os.memfd_create("kept", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "wb") as memory:
                while data := file.read(1 << 20):
                    memory.write(data)
                memory.flush()
                seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
                fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
                connection.send(pb.FRAME_KIND_DATA, stream, b"", LAST, memory.fileno())
        else:
            while data := file.read(CHUNK):
                connection.send(pb.FRAME_KIND_DATA, stream, data)
            connection.send(pb.FRAME_KIND_DATA, stream, b"", LAST)


def serve(connection, publication, path):
    """Answers asks until the publication ends. Asks that have credit get their next bytes in turn."""
    asks = {}

    def fail(stream, error):
        print("failed: %s" % error, flush=True)
        connection.send(pb.FRAME_KIND_ERROR, stream, pb.Failure(code=pb.ERROR_CODE_SOURCE_FAILED, text=str(error)))

    def begin(stream, message):
        print("asked for %s" % message.type, flush=True)
        try:
            ask = Ask(connection, stream, path, message.credit)
        except OSError as error:
            return fail(stream, error)
        answer = pb.Answer(byte_count=ask.size)
        if message.descriptor_welcome and connection.passes_descriptors:
            # The open file is the whole load (U4).
            connection.send(pb.FRAME_KIND_ANSWER, stream, answer, LAST, ask.file.fileno())
            print("passed %d bytes" % ask.size, flush=True)
        else:
            connection.send(pb.FRAME_KIND_ANSWER, stream, answer)
            asks[stream] = ask

    while True:
        ready = [ask for ask in asks.values() if ask.is_ready]
        frame = connection.receive(blocking=not ready)
        if frame is None:
            for ask in ready:
                try:
                    if ask.send():
                        del asks[ask.stream]
                        print("sent %d bytes" % ask.size, flush=True)
                except OSError as error:
                    del asks[ask.stream]
                    fail(ask.stream, error)
        elif frame.kind == pb.FRAME_KIND_ASK:
            begin(frame.stream, frame.message)
        elif frame.stream == publication and frame.kind == pb.FRAME_KIND_END:
            return pb.EndReason.Name(frame.message.reason).removeprefix("END_REASON_").lower()
        elif frame.stream in asks and frame.kind == pb.FRAME_KIND_CREDIT:
            asks[frame.stream].credit = max(asks[frame.stream].credit, frame.message.offset)
        elif frame.stream in asks and frame.kind in (pb.FRAME_KIND_CANCEL, pb.FRAME_KIND_ERROR):
            del asks[frame.stream]
            print("cancelled", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-b", dest="board", metavar="BOARD", default="general", help="the pasteboard")
    parser.add_argument("-t", dest="type", metavar="TYPE", default="public.data", help="the type of the file")
    parser.add_argument("-i", dest="inline", action="store_true", help="does not pass file descriptors")
    parser.add_argument("-k", dest="keep", action="store_true", help="hands the bytes over to the broker at once, and ends")
    parser.add_argument("file", metavar="FILE", help="a regular file")
    options = parser.parse_args()
    try:
        connection = Connection("python-source", [] if options.inline else [pb.FEATURE_DESCRIPTORS])
        publication = connection.open(pb.FRAME_KIND_WRITE, pb.WriteRequest(board=options.board))
        item = pb.Item(suggested_name=os.path.basename(options.file))
        item.representations.add(type=options.type, provision=pb.PROVISION_KEPT if options.keep else pb.PROVISION_PROMISED)
        connection.send(pb.FRAME_KIND_ITEM, publication, item)
        if options.keep:
            keep(connection, publication, options.file)
        connection.send(pb.FRAME_KIND_COMMIT, publication, pb.Commit(item_count=1))
        frame = connection.receive()
        if frame.kind == pb.FRAME_KIND_ERROR:
            raise Failed(frame.message.code, frame.message.text)
        if frame.kind != pb.FRAME_KIND_COMMITTED:
            violation("the end of a write without an answer")  # S11
        print("kept" if options.keep else "offered", flush=True)
        if not options.keep:
            print(serve(connection, publication, options.file), flush=True)
    except (Failed, OSError) as failure:
        sys.exit(str(failure))


main()
