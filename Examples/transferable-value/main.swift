// One value in several representations, offered by one process, loaded by another: as itself, as a file, as rich text,
// and by its title.
@preconcurrency import Glibc
import PasteboardKit

guard let role = Role(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: transferable-value give | take | show TYPE")
    exit(2)
}
setlinebuf(stdout)  // another program may wait for a line at the other end of a pipe
do {
    try await role.run(on: .general)
} catch {
    print("failed:", error)
    exit(1)
}
