import Glibc
import PasteboardTransport

/// The command line. Synchronous from end to end: the start of a process is most of the time that a command takes.
@main
enum Main {
    static func main() {
        StandardStreams.occupyClosedOnes()
        exit(CommandLineTool.run(System.arguments))
    }
}
