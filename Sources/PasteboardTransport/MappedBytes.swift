import Glibc

/// The bytes of an immutable memory file, mapped. Unmapped with its last owner.
///
/// Only a file with all four seals is mapped: with any other, bytes could change under their reader, and pages beyond a
/// new end would end the process. Sendable because nobody, not even the file's maker, can write what is mapped here, but for
/// its one owner: whatever that writes goes to pages of its own.
package final class MappedBytes: @unchecked Sendable {
    /// Valid while this object lives.
    package let base: UnsafeMutableRawPointer
    package let count: Int

    /// Maps the first `count` bytes, at least one and no more than there are.
    package init(_ file: MemoryFile, count: Int) throws(SystemError) {
        guard count > 0, UInt64(count) <= (try file.size), System.isFullySealed(file.descriptor.raw) else {
            throw SystemError(call: "mmap", errno: EINVAL, subject: "not that many sealed bytes")
        }
        // A program may change what it owns alone, in place: it gets a copy of the pages that it changes.
        let mapped = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.descriptor.raw, 0)
        guard let mapped, mapped != MAP_FAILED else { throw SystemError(call: "mmap", errno: errno) }
        self.base = mapped
        self.count = count
    }

    deinit {
        munmap(base, count)
    }
}

extension MemoryFile {
    /// Makes a file of what `body` writes into `capacity` bytes of room, and seals it.
    package init<Failure>(
        capacity: Int,
        filledBy body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws {
        try self.init()
        var count = 0
        if capacity > 0 {
            try System.truncate(descriptor.raw, to: UInt64(capacity))
            let raw = descriptor.raw
            let mapped = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
            guard let mapped, mapped != MAP_FAILED else { throw SystemError(call: "mmap", errno: errno) }
            // Gone before the file is sealed, which a mapping that can be written prevents.
            defer { munmap(mapped, capacity) }
            // `capacity` bytes that nobody else knows of, while `body` runs.
            let room = UnsafeMutableBufferPointer(
                start: mapped.bindMemory(to: UInt8.self, capacity: capacity),
                count: capacity
            )
            var output = OutputSpan(buffer: room, initializedCount: 0)
            try body(&output)
            count = output.finalize(for: room)
        }
        if count < capacity { try System.truncate(descriptor.raw, to: UInt64(count)) }
        try self.seal()
    }
}
