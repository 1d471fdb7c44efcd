// One value in several representations, given by one process and taken by another: as itself, as a file, as rich text,
// by its title. `Transferable.swift` and `Representation.swift` would suit any program; `Note.swift` is this one's.
@preconcurrency import Glibc
import PasteboardKit

guard let role = Role(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: transferable-value give | take | show TYPE")
    exit(2)
}
setlinebuf(stdout)  // somebody may wait for a line at the other end of a pipe
do {
    try await role.run(on: .general)
} catch {
    print("failed:", error)
    exit(1)
}
