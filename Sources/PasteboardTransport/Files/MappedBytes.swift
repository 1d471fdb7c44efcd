import Glibc

/// The mapped bytes of an immutable memory file, unmapped with the last reference.
///
/// Only a file with all four seals is mapped: in any other file, bytes could change while they are read, and access to
/// pages after a new end would end the process. Sendable, because no process can write the file, not even its creator.
/// Writes of this object's single owner change private copies of the pages.
package final class MappedBytes: @unchecked Sendable {
    /// Valid during the lifetime of this object.
    package let base: UnsafeMutableRawPointer
    package let count: Int

    /// Maps the first `count` bytes, which must exist, and at least one.
    package init(_ file: MemoryFile, count: Int) throws(SystemError) {
        guard count > 0, UInt64(count) <= (try file.size), System.isFullySealed(file.descriptor.raw) else {
            throw SystemError(call: "mmap", errno: EINVAL, subject: "\(count) bytes of a shorter or unsealed file")
        }
        // A program may change bytes that it owns alone in place. It gets a copy of the pages that it changes.
        let mapped =
            System.fails("mmap")
            ? MAP_FAILED : mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.descriptor.raw, 0)
        guard let mapped, mapped != MAP_FAILED else { throw SystemError(call: "mmap", errno: errno) }
        self.base = mapped
        self.count = count
    }

    deinit {
        munmap(base, count)
    }
}

extension MemoryFile {
    /// Creates a file from the bytes that `body` writes, at most `capacity`, and seals it.
    package init<Failure>(
        capacity: Int,
        filledBy body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws {
        try self.init()
        var count = 0
        if capacity > 0 {
            try System.truncate(descriptor.raw, to: UInt64(capacity))
            let raw = descriptor.raw
            let mapped =
                System.fails("mmap")
                ? MAP_FAILED : mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
            guard let mapped, mapped != MAP_FAILED else { throw SystemError(call: "mmap", errno: errno) }
            // Unmapped before the file is sealed, which a writable mapping prevents.
            defer { munmap(mapped, capacity) }
            // `capacity` bytes that nothing else refers to while `body` runs.
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
