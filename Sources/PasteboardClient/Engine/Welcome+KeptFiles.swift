package import PasteboardTransport
package import PasteboardWire

// Files that a broker keeps as they are.
extension Welcome {
    /// Whether descriptors may be sent and received.
    package var passesDescriptors: Bool { features.contains(Feature.descriptors.rawValue) }

    /// An empty file for `count` kept bytes of a write: one in the kept directory, which outlives the broker, or an
    /// anonymous one if that has no room.
    ///
    /// - Returns: nil if this program cannot reach the directory, so that the bytes have to be sent.
    package func keptFile(for count: UInt64) throws(SystemError) -> MemoryFile? {
        guard let path = keptDirectory, count <= keptDirectoryRoom ?? 0 else { return try MemoryFile() }
        guard let directory = try? System.open(path, [.directory, .notFollowingLinks]),
            let status = try? System.status(of: directory.raw), status.device == keptDirectoryDevice
        else { return nil }
        return try? MemoryFile(unnamedIn: directory.raw)
    }

    /// A loaded file as the source of a write, if the broker keeps it as it is.
    package func memory(_ file: PassedFile) -> MemoryFile? {
        if let memory = MemoryFile(sealed: file.descriptor) { return memory }
        guard let status = try? System.status(of: file.descriptor.raw), status.device == keptDirectoryDevice else {
            return nil
        }
        return MemoryFile(file.descriptor, isInDirectory: true)
    }
}
