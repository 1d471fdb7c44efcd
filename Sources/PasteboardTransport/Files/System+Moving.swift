import CPasteboardSystem
import Glibc

/// The result of moving bytes between descriptors inside the kernel.
package enum MovedBytes: Equatable, Sendable {
    /// The number of bytes; zero at the end of the input.
    case count(Int)
    /// The output accepts no bytes now.
    case blocked
    /// The kernel cannot move bytes between these descriptors. The caller has to read and write them.
    case unsupported
}

extension System {
    /// Moves at most `count` bytes of a file, from `offset` on. If nil, starts at the file's position and advances it.
    package static func sendFile(
        _ input: CInt,
        at offset: UInt64? = nil,
        to output: CInt,
        count: Int
    ) throws(SystemError) -> MovedBytes {
        guard let offset = offset.map(Int64.init(exactly:)) ?? -1 else { return .count(0) }
        return try self.move("sendfile") { pbs_send_file(output, input, offset, count) }
    }

    /// Moves at most `count` bytes between two descriptors, one of which is a pipe.
    package static func splice(_ input: CInt, to output: CInt, count: Int) throws(SystemError) -> MovedBytes {
        try self.move("splice") { pbs_splice(input, output, count) }
    }

    private static func move(_ name: StaticString, _ body: () -> Int) throws(SystemError) -> MovedBytes {
        do throws(SystemError) {
            guard let count = try self.callUnlessBlocked(name, body) else { return .blocked }
            return .count(count)
        } catch {
            // EINVAL is also the error of an output that is opened for appending.
            guard [EINVAL, ENOSYS, EBADF, EOPNOTSUPP].contains(error.errno) else { throw error }
            return .unsupported
        }
    }
}
