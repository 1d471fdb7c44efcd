import CPasteboardSystem
import Glibc
import PasteboardWire

/// A file in memory, which is completed and then passed to other processes: an anonymous one, or one without a name in
/// the broker's kept directory, which can get a name there.
///
/// Only an anonymous file with all four seals is immutable. With fewer, the bytes can still change through an old
/// mapping, or the file can shrink while it is read. A file of a directory has no seals: its owner can always write it.
package struct MemoryFile: Sendable {
    package let descriptor: DescriptorBox
    /// Whether it is one of a directory.
    package let isInDirectory: Bool

    /// Creates an empty file.
    package init() throws(SystemError) {
        let raw = try System.call("memfd_create") { pbs_memory_file("pasteboard") }
        self.init(DescriptorBox(OwnedDescriptor(adopting: raw)), isInDirectory: false)
    }

    /// Creates an empty file without a name in a directory, which is also closed to the next open for writing.
    package init(unnamedIn directory: CInt) throws(SystemError) {
        self.init(
            DescriptorBox(try System.open(".", in: directory, [.readingAndWriting, .unnamed], mode: 0o400)),
            isInDirectory: true
        )
    }

    /// Uses a file that is open already, of a directory or not.
    package init(_ descriptor: DescriptorBox, isInDirectory: Bool) {
        self.descriptor = descriptor
        self.isInDirectory = isInDirectory
    }

    /// Takes over a descriptor from another process, if it is an immutable memory file.
    package init?(sealed descriptor: DescriptorBox) {
        guard System.isFullySealed(descriptor.raw) else { return nil }
        self.init(descriptor, isInDirectory: false)
    }

    /// Appends the bytes. If memory runs out, the error is ENOSPC or ENOMEM, and a part of the bytes may have been
    /// written.
    package func append(_ bytes: Span<UInt8>) throws(SystemError) {
        try System.write(bytes, to: descriptor.raw)
    }

    /// Makes the contents and the size final.
    ///
    /// - Parameter attempts: the number of attempts. The kernel waits a few milliseconds and then refuses if another
    ///   read holds one of the pages, so one attempt may not be enough while others read the file.
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

    /// An anonymous file with the first `count` bytes, which ends with them.
    package func anonymousCopy(of count: UInt64) throws(SystemError) -> MemoryFile {
        let copy = try MemoryFile()
        var offset: UInt64 = 0
        while offset < count {
            let bytes = try System.bytes(of: descriptor.raw, from: offset, count: Int(min(count - offset, 256 << 10)))
            if bytes.isEmpty { break }
            try copy.append(bytes.span)
            offset += UInt64(bytes.count)
        }
        return copy
    }

    /// The complete file as it is passed to others: sealed, or open for reading only.
    package func completed() throws(SystemError) -> MemoryFile {
        guard isInDirectory else {
            try seal()
            return self
        }
        let readable = try System.open("/proc/self/fd/\(descriptor.raw)")
        return MemoryFile(DescriptorBox(readable), isInDirectory: true)
    }

    /// Overwrites the contents with zeros, because they were secret. The file must not be sealed.
    package func wipe() throws(SystemError) {
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        let size = Int(clamping: try size)
        for offset in stride(from: 0, to: size, by: zeros.count) {
            try write(zeros.span.extracting(first: size - offset), at: UInt64(offset))
        }
    }

    /// Writes the bytes at an offset. If memory runs out, a part of them may have been written.
    package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(SystemError) {
        guard let start = off_t(exactly: offset) else { throw SystemError(call: "pwrite", errno: EFBIG) }
        var written = 0
        while written < bytes.count {
            written += try System.call("pwrite") {
                // The span outlives the call, and the kernel only reads it.
                bytes.extracting(written...).withUnsafeBufferPointer {
                    pwrite(descriptor.raw, $0.baseAddress, $0.count, start + off_t(written))
                }
            }
        }
    }

    package var size: UInt64 {
        get throws(SystemError) {
            try System.status(of: descriptor.raw).size
        }
    }

    /// All bytes. Throws `EFBIG` if there are more than `limit`.
    package func contents(limit: Int) throws(SystemError) -> [UInt8] {
        let size = Int(clamping: try size)
        guard size <= limit else { throw SystemError(call: "read", errno: EFBIG) }
        return try System.bytes(of: descriptor.raw, from: 0, count: size)
    }

    /// Reads bytes from `offset` on into the free capacity of `output`.
    ///
    /// - Returns: the number of bytes; zero only at the end of the file, or if there is no capacity.
    package func read(at offset: UInt64, into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
        try System.read(descriptor.raw, at: offset, into: &output)
    }
}

extension System {
    /// Whether the descriptor can read a file but not write it. A descriptor that only names a file (`O_PATH`) cannot.
    package static func isReadOnly(_ descriptor: CInt) -> Bool {
        guard let flags = try? openFlags(of: descriptor) else { return false }
        return flags & O_ACCMODE == O_RDONLY && flags & OpenOptions.nameOnly.rawValue == 0
    }

    /// Whether the descriptor is a memory file with all four seals. Does not access the file's contents.
    package static func isFullySealed(_ descriptor: CInt) -> Bool {
        let seals = pbs_seals(descriptor)
        let all = CInt(PBS_SEAL_ALL)
        return seals >= 0 && seals & all == all
    }

    /// The bytes of a file from `offset` on, without moving the descriptor's position: `count` of them, or those up to
    /// the end of the file.
    package static func bytes(of descriptor: CInt, from offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var end = false
        while bytes.count < count, !end {
            let before = bytes.count
            var failure: SystemError?
            bytes.append(addingCapacity: count - before) { output in
                do throws(SystemError) {
                    end = try read(descriptor, at: offset.addingClamped(UInt64(before)), into: &output) == 0
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        return bytes
    }

    /// Reads bytes from `offset` on into the free capacity of `output`, without moving the descriptor's position.
    package static func read(
        _ descriptor: CInt,
        at offset: UInt64,
        into output: inout OutputSpan<UInt8>
    ) throws(SystemError) -> Int {
        guard let start = off_t(exactly: offset) else { return 0 }
        // The kernel writes into the uninitialized capacity, and `filled` counts the bytes.
        return try output.withUnsafeMutableBufferPointer { buffer, filled throws(SystemError) in
            let room = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
            let count = try call("pread") { pread(descriptor, room.baseAddress, room.count, start) }
            filled += count
            return count
        }
    }
}
