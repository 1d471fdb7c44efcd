"""A load: the part that all destinations have in common. The numbers of rules are those of the protocol's articles."""

import os

import pasteboard_pb2 as pb
from frames import LAST, Failed, violation

WINDOW = 1 << 19  # the bytes that a load grants beyond those that it has written


class Stopped(Exception):
    """Raised by `write` to cancel the load."""


def load(connection, request, write):
    """Loads a representation, passes its bytes to `write`, and returns the answer and the way in which they came.

    Frames of other streams that arrive meanwhile are received after the load.
    """
    request.credit, request.descriptor_welcome = WINDOW, connection.passes_descriptors
    stream, others = connection.open(pb.FRAME_KIND_LOAD, request), []
    answer, count, granted = None, 0, WINDOW
    try:
        while True:
            frame = connection.receive()
            if frame.stream != stream:
                others.append(frame)
            elif frame.kind == pb.FRAME_KIND_ERROR:
                raise Failed(frame.message.code, frame.message.text)
            elif frame.kind == pb.FRAME_KIND_ANSWER:
                if answer is not None:
                    violation("a second answer")  # L4
                answer = frame.message
                if answer.content not in pb.ContentForm.values():  # V1
                    raise Stopped(Failed(pb.ERROR_CODE_VERSION_MISMATCH, "an unknown form of content"))
                if frame.descriptor is not None:
                    return answer, read_file(frame.descriptor, answer.byte_count, write)
            elif frame.kind != pb.FRAME_KIND_PROGRESS and answer is None:
                violation("a load without an answer")  # L4
            elif frame.kind == pb.FRAME_KIND_DATA:
                count += len(frame.message)
                write(frame.message)
                if frame.flags & LAST:
                    return answer, "in frames"
                if granted - count <= WINDOW // 2:  # O5
                    granted = count + WINDOW
                    connection.send(pb.FRAME_KIND_CREDIT, stream, pb.Credit(offset=granted))
            elif frame.kind == pb.FRAME_KIND_END:
                if frame.message.HasField("byte_count") and frame.message.byte_count != count:  # S7
                    raise Failed(pb.ERROR_CODE_SOURCE_TRUNCATED, "%d bytes arrived" % count)
                return answer, "in frames"
    except (Stopped, OSError) as reason:
        connection.send(pb.FRAME_KIND_CANCEL, stream)
        raise reason.args[0] if isinstance(reason, Stopped) and reason.args else reason
    finally:
        connection.later.extend(others)


def read_file(descriptor, count, write):
    """Reads by offset, because the source shares the position of the file and may shorten it (U8)."""
    with os.fdopen(descriptor, "rb", buffering=0):
        offset = 0
        while offset < count:
            data = os.pread(descriptor, min(1 << 18, count - offset), offset)
            if not data:
                raise Failed(pb.ERROR_CODE_SOURCE_TRUNCATED, "%d of %d bytes arrived" % (offset, count))
            write(data)
            offset += len(data)
    return "as a file"
