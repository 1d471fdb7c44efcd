package import PasteboardTransport
package import PasteboardWire

/// A folder that is unpacked from an archive, in a directory made for it.
///
/// The archive is not trusted. The system's `tar` refuses names that lead out of the directory, but only if it has no
/// option that changes names. So the folder is unpacked under its own name and renamed afterwards.
package struct UnpackedFolder: Sendable {
    /// The empty directory in which the folder is unpacked.
    package let room: DescriptorBox

    /// - Parameter room: an open, empty directory that no other user may enter.
    package init(in room: DescriptorBox) {
        self.room = room
    }

    /// Starts the program that unpacks the archive from `input`. From standard input `tar` accepts no compressed
    /// archives, whose contents could be much larger than expected.
    package func unpack(_ input: DescriptorBox) throws(Failure) -> SystemProgram {
        try SystemProgram(
            "tar",
            ["--extract", "--file=-", "--no-same-owner", "--no-same-permissions"],
            in: room,
            input: input
        )
    }

    /// Completes the folder after the program has succeeded.
    ///
    /// - Returns: the name of the folder in the room.
    package func finish() throws(Failure) -> SystemString {
        let names: [SystemString]
        do throws(SystemError) {
            // A program that reads the tree must not encounter pipes and devices.
            try FileTree.removeSpecials(in: room.raw)
            names = try System.entries(of: room.raw)
        } catch {
            throw Failure(error.shortage ?? .refused, "cannot read the unpacked folder: \(error)")
        }
        guard names.count == 1, (try? System.status(at: names[0], in: room.raw))??.kind == .directory else {
            throw Failure(
                .sourceFailed,
                "the received archive has \(names.count) entries at its top level; it must have one folder"
            )
        }
        return names[0]
    }
}
