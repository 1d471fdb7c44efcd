"""A destination for drags: loads what is dropped on it into files of a directory."""

import argparse
import itertools
import os
import sys
import tempfile

import pasteboard_pb2 as pb
from frames import Connection, Failed
from loads import load


class Target:
    def __init__(self, connection, options):
        self.connection, self.options = connection, options
        self.sessions = {}  # by stream: the last `session`, and all items
        request = pb.DestinationRequest(name=options.name)
        request.accepts.extend(self.accepts())
        self.stream = connection.open(pb.FRAME_KIND_DESTINATION, request)

    def accepts(self):
        return [pb.Accept(type=type) for type in self.options.types]

    def run(self):
        while True:
            frame = self.connection.receive()
            if frame.stream == self.stream and frame.kind == pb.FRAME_KIND_ERROR:
                raise Failed(frame.message.code, frame.message.text)
            if frame.kind == pb.FRAME_KIND_REGISTERED:
                say("registered as %s" % self.options.name)
            elif frame.kind == pb.FRAME_KIND_SESSION:
                items = self.sessions.get(frame.stream, (None, []))[1]  # E6: items that were added
                self.sessions[frame.stream] = (frame.message, items)
            elif frame.stream in self.sessions and self.handle(frame.stream, frame.kind, frame.message):
                return

    def handle(self, stream, kind, message):
        """Handles a frame of a session. Returns whether this was the last one."""
        session, items = self.sessions[stream]
        if kind == pb.FRAME_KIND_ITEM:
            items.append(message)
        elif kind in (pb.FRAME_KIND_ENTER, pb.FRAME_KIND_UPDATE):  # E2
            operation = pb.DROP_OPERATION_MOVE if session.allows_move else pb.DROP_OPERATION_COPY
            say("proposed %s of %d items of %s" % (name(operation), len(items), session.owner_label))
            self.connection.send(
                pb.FRAME_KIND_PROPOSAL, stream, pb.Proposal(sequence=message.sequence, operation=operation))
        elif kind == pb.FRAME_KIND_EXIT:
            say("left")
        elif kind == pb.FRAME_KIND_PERFORM:
            self.perform(stream, session.handle, items)
        elif kind == pb.FRAME_KIND_TRANSFERRED:  # R4, R5: what has arrived stays, whatever the result is.
            failure = "failed, %s" % Failed(message.failure.code, message.failure.text)
            say("%s of %d items%s" % (
                name(message.operation), len(message.items), " " + failure if message.HasField("failure") else ""))
        elif kind in (pb.FRAME_KIND_END, pb.FRAME_KIND_ERROR):
            del self.sessions[stream]
            say("session ended")
            return self.options.once
        return False

    def perform(self, stream, handle, items):
        """Loads the items one after the other, then closes the drop window and reports the result."""
        failure = None
        for index, item in enumerate(items):
            request = pb.LoadRequest(
                handle=handle, item=index, accepts=self.accepts(), preference=pb.PREFERENCE_ACCEPT_LIST)
            try:
                with tempfile.NamedTemporaryFile(dir=self.options.into) as file:
                    answer, way = load(self.connection, request, file.write)
                    file.flush()
                    path = give_name(file, self.options.into, item, answer)
                    say("%s: %s, %d bytes %s" % (path, answer.type, file.tell(), way))
            except (Failed, OSError) as error:
                say("item %d failed, %s" % (index, error))
                failure = pb.Failure(code=pb.ERROR_CODE_REFUSED, text=str(error)[:200])
        self.connection.send(pb.FRAME_KIND_PERFORMED, stream)
        self.connection.send(pb.FRAME_KIND_CONCLUDE, stream, pb.Conclude(failure=failure))


def give_name(file, directory, item, answer):
    """Names a complete file after its item, with the permissions and the time that the item states (W14)."""
    source = next((each.file for each in item.representations if each.type == answer.type), pb.FileAttributes())
    wanted = os.fsdecode(source.name) or answer.suggested_name or item.suggested_name
    wanted = "".join(character if character.isprintable() and character != "/" else "_" for character in wanted)
    if wanted in ("", ".", ".."):
        wanted = "item"
    if answer.content == pb.CONTENT_FORM_FOLDER_ARCHIVE:
        wanted += ".tar"
    umask = os.umask(0)  # There is no call that only reads it.
    os.umask(umask)
    os.fchmod(file.fileno(), (source.mode if source.HasField("mode") else 0o666) & 0o777 & ~umask)
    if source.HasField("modified_seconds"):
        time = source.modified_seconds * 10**9 + source.modified_nanoseconds
        os.utime(file.fileno(), ns=(time, time))
    stem, extension = os.path.splitext(wanted)
    for number in itertools.count(1):
        path = os.path.join(directory, wanted if number == 1 else "%s %d%s" % (stem, number, extension))
        try:
            os.link(file.name, path)
            return path
        except FileExistsError:
            pass


def name(operation):
    return pb.DropOperation.Name(operation).removeprefix("DROP_OPERATION_").lower()


def say(text):
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-t", dest="types", metavar="TYPE", action="append", default=[],
                        help="an accepted type, best first; without it, any type")
    parser.add_argument("-d", dest="into", metavar="DIRECTORY", default=".", help="the directory for the files")
    parser.add_argument("-i", dest="inline", action="store_true", help="does not accept file descriptors")
    parser.add_argument("-1", dest="once", action="store_true", help="ends after the first session")
    parser.add_argument("name", metavar="NAME", help="the name of the destination")
    options = parser.parse_args()
    features = [pb.FEATURE_DROP_REPORTS] + ([] if options.inline else [pb.FEATURE_DESCRIPTORS])
    try:
        Target(Connection("python-drop-target", features), options).run()
    except (Failed, OSError) as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        pass


main()
