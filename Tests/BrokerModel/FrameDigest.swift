package import BrokerState
import PasteboardWire

/// A hash of frames in their order (FNV-1a), the same in every process.
///
/// The texts of errors and limits do not count, so that they can be improved without a change of behaviour. Data counts
/// by its length, because the walkers send only one byte value.
package struct FrameDigest: Equatable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ frame: Frame) {
        add(UInt64(frame.kind.rawValue))
        add(frame.stream)
        add(frame.last ? 1 : 0)
        add(frame.order == .connection ? 1 : 2)
        if let passing = frame.passing { add(passing == .received ? 3 : 4) }
        guard frame.kind != .data else { return add(UInt64(frame.payload.count)) }
        for byte in Self.unworded(frame) { mix(byte) }
    }

    package mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private mutating func mix(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    package mutating func add(_ held: BrokerState.Held) {
        for count in [held.peers, held.loads, held.writes, held.publications, held.sessions, held.accounts] {
            add(UInt64(count))
        }
        for sum in [held.objects, held.metadata, held.keptBytes, held.inTransfer, held.queued] { add(sum) }
    }

    /// The payload without the texts of failures.
    private static func unworded(_ frame: Frame) -> [UInt8] {
        switch frame.kind {
        case .error:
            return unworded(frame, Failure.self) { $0 = $0.unworded }
        case .proposal:
            return unworded(frame, Proposal.self) { $0.refusal = $0.refusal?.unworded }
        case .exit:
            return unworded(frame, Exit.self) { $0.refusal = $0.refusal?.unworded }
        case .transferred:
            return unworded(frame, Transferred.self) { $0.failure = $0.failure?.unworded }
        case .statusEntry:
            return unworded(frame, StatusEntry.self) { $0.limit?.note = nil }
        default:
            return frame.payload
        }
    }

    private static func unworded<Message: WireMessage>(
        _ frame: Frame,
        _ type: Message.Type,
        _ change: (inout Message) -> Void
    ) -> [UInt8] {
        var message = frame.decode(type)
        change(&message)
        return message.encoded
    }
}

extension Failure {
    fileprivate var unworded: Failure { Failure(code, "") }
}
