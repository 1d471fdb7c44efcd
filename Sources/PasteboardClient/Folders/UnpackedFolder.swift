package import PasteboardTransport
package import PasteboardWire

/// A folder that comes as an archive, in a directory made for it.
///
/// Its source may be anybody. The system's `tar` refuses names that lead elsewhere, as long as it is not told to change
/// names; so the folder is unpacked under its own name, and gets another afterwards.
package struct UnpackedFolder: Sendable {
    /// The empty directory in which it is unpacked.
    package let room: DescriptorBox

    /// - Parameter room: an open, empty directory that no other user may enter.
    package init(in room: DescriptorBox) {
        self.room = room
    }

    /// Starts the program that unpacks the archive that `input` gives. From its standard input it takes an archive as it
    /// is, and no compressed one, which could be much larger than it looks.
    package func unpack(_ input: DescriptorBox) throws(Failure) -> SystemProgram {
        try SystemProgram(
            "tar",
            ["--extract", "--file=-", "--no-same-owner", "--no-same-permissions"],
            in: self.room,
            input: input
        )
    }

    /// Completes it once the program has ended well.
    ///
    /// - Returns: its name in the room.
    package func finish() throws(Failure) -> SystemString {
        let names: [SystemString]
        do throws(SystemError) {
            // Pipes and devices are nothing that a reader of the tree should come upon.
            try FileTree.removeSpecials(in: self.room.raw)
            names = try System.entries(of: self.room.raw)
        } catch {
            throw Failure(error.isShortage ? .noSpace : .refused, "cannot look at the unpacked folder: \(error)")
        }
        guard names.count == 1, (try? System.status(at: names[0], in: self.room.raw))??.kind == .directory else {
            throw Failure(
                .sourceFailed,
                "the archive that came has \(names.count) things at its top, where one folder was to be"
            )
        }
        return names[0]
    }
}
