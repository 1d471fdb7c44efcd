import CPasteboardSystem
import Glibc

/// An anonymous file in memory, which can be made immutable and then be handed to other processes.
///
/// Only a descriptor with all four seals is immutable. With less, somebody's old mapping still changes the bytes, or
/// the file shrinks under a reader.
package struct MemoryFile: Sendable {
    package let descriptor: DescriptorBox

    /// Makes an empty file.
    package init() throws(SystemError) {
        let raw = try System.call("memfd_create") { pbs_memory_file("pasteboard") }
        descriptor = DescriptorBox(OwnedDescriptor(adopting: raw))
    }

    /// Takes a descriptor that came from elsewhere, if it is an immutable memory file.
    package init?(sealed descriptor: DescriptorBox) {
        guard System.isFullySealed(descriptor.raw) else { return nil }
        self.descriptor = descriptor
    }

    /// Writes all bytes behind those written before. Where memory runs out the error is ENOSPC or ENOMEM, and a part
    /// of the bytes may have been written.
    package func append(_ bytes: Span<UInt8>) throws(SystemError) {
        try System.write(bytes, to: descriptor.raw)
    }

    /// Makes the contents and the size final.
    ///
    /// - Parameter attempts: the number of attempts. The kernel waits a few milliseconds and then refuses if another read
    ///   holds one of the pages, so one attempt may not be enough while others read the file.
    package func seal(attempts: Int = 1) throws(SystemError) {
        for attempt in 1...max(1, attempts) {
            do throws(SystemError) {
                _ = try System.call("seal memory file") { pbs_add_seals(descriptor.raw) }
                return
            } catch {
                guard error.errno == EBUSY, attempt < attempts else { throw error }
            }
        }
    }

    package var size: UInt64 {
        get throws(SystemError) {
            try System.status(of: descriptor.raw).size
        }
    }

    /// Reads the bytes from `offset` on into the free room of `output`.
    ///
    /// - Returns: how many, zero only at the end of the file (or where there is no room).
    package func read(at offset: UInt64, into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
        try System.read(descriptor.raw, at: offset, into: &output)
    }
}

extension System {
    /// Whether the descriptor reads a file and does nothing else; one that only names a file (`O_PATH`) does not.
    package static func isReadOnly(_ descriptor: CInt) -> Bool {
        let pathOnly: CInt = 0x20_0000
        guard let flags = try? openFlags(of: descriptor) else { return false }
        return flags & O_ACCMODE == O_RDONLY && flags & pathOnly == 0
    }

    /// Whether the descriptor is a memory file with all four seals. It does not touch the file's contents.
    package static func isFullySealed(_ descriptor: CInt) -> Bool {
        let seals = pbs_seals(descriptor)
        let all = CInt(PBS_SEAL_ALL)
        return seals >= 0 && seals & all == all
    }

    /// Reads from `offset` on into the free room of `output`, without moving the descriptor's own position.
    package static func read(
        _ descriptor: CInt,
        at offset: UInt64,
        into output: inout OutputSpan<UInt8>
    ) throws(SystemError) -> Int {
        guard let start = off_t(exactly: offset) else { return 0 }
        // The kernel writes into the uninitialized room, and `filled` counts what it wrote.
        return try output.withUnsafeMutableBufferPointer { buffer, filled throws(SystemError) in
            let room = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
            let count = try call("pread") { pread(descriptor, room.baseAddress, room.count, start) }
            filled += count
            return count
        }
    }
}
