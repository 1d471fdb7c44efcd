"""Loads the first item of a pasteboard and writes its bytes to standard output."""

import argparse
import os
import sys

import pasteboard_pb2 as pb
from frames import Connection, Failed
from loads import Stopped, load


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-b", dest="board", metavar="BOARD", default="general", help="the pasteboard")
    parser.add_argument("-t", dest="types", metavar="TYPE", action="append", default=[],
                        help="an accepted type, best first; without it, any type")
    parser.add_argument("-f", dest="first", metavar="BYTES", type=int, help="cancels after the first BYTES")
    parser.add_argument("-i", dest="inline", action="store_true", help="does not accept file descriptors")
    options = parser.parse_args()
    count = 0

    def write(data):
        nonlocal count
        if options.first is not None:
            data = data[:options.first - count]
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest):]
        count += len(data)
        if count == options.first:
            raise Stopped

    request = pb.LoadRequest(board=options.board, preference=pb.PREFERENCE_ACCEPT_LIST)
    request.accepts.extend(pb.Accept(type=type) for type in options.types)
    try:
        connection = Connection("python-destination", [] if options.inline else [pb.FEATURE_DESCRIPTORS])
        answer, way = load(connection, request, write)
    except Stopped:
        sys.exit("cancelled after %d bytes" % count)
    except (Failed, OSError) as failure:
        sys.exit(str(failure))
    print("%s: %d bytes %s" % (answer.type, count, way), file=sys.stderr)


main()
