import CPasteboardSystem
import Glibc

/// What came of moving bytes from one descriptor to another inside the kernel.
package enum MovedBytes: Equatable, Sendable {
    /// So many; zero at the end of the input.
    case count(Int)
    /// The output takes nothing now.
    case blocked
    /// The kernel cannot move bytes between these two; they have to be read and written.
    case unsupported
}

extension System {
    /// Moves at most `count` bytes of a file from `offset` on, or with nil from its own position, which only then moves.
    package static func sendFile(
        _ input: CInt,
        at offset: UInt64? = nil,
        to output: CInt,
        count: Int
    ) throws(SystemError) -> MovedBytes {
        guard let offset = offset.map(Int64.init(exactly:)) ?? -1 else { return .count(0) }
        return try self.move("sendfile") { pbs_send_file(output, input, offset, count) }
    }

    /// Moves at most `count` bytes between two descriptors of which one is a pipe.
    package static func splice(_ input: CInt, to output: CInt, count: Int) throws(SystemError) -> MovedBytes {
        try self.move("splice") { pbs_splice(input, output, count) }
    }

    private static func move(_ name: StaticString, _ body: () -> Int) throws(SystemError) -> MovedBytes {
        do throws(SystemError) {
            guard let count = try self.callUnlessBlocked(name, body) else { return .blocked }
            return .count(count)
        } catch {
            // EINVAL also where the output appends.
            guard [EINVAL, ENOSYS, EBADF, EOPNOTSUPP].contains(error.errno) else { throw error }
            return .unsupported
        }
    }
}
