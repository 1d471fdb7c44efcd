import PasteboardTransport
import PasteboardWire

/// The conditions that a destination sets for a load.
struct LoadBounds: Sendable {
    /// The largest number of bytes of a load that sets no maximum: a quarter of the memory that this process may use.
    static let standardMaximum: Int = {
        let memory = min(System.memorySize(), System.groupMemoryLimit() ?? .max)
        return Int(clamping: memory / 4)
    }()

    /// The largest number of bytes that is accepted into memory; nil: ``standardMaximum``.
    var maximumByteCount: Int?
    /// Whether no person asked for the load.
    var isAutomatic = false

    var maximum: Int { maximumByteCount.map { max(0, $0) } ?? Self.standardMaximum }

    /// Whether the request says nothing about the bounds. The destination still applies the standard maximum.
    var areStandard: Bool { maximumByteCount == nil && !isAutomatic }
}

extension Load {
    /// Sets the bounds of the load.
    mutating func limit(_ bounds: LoadBounds) {
        maximumByteCount = bounds.maximumByteCount.map { UInt64(clamping: $0) }
        if bounds.isAutomatic { isAutomatic = true }
    }
}

extension Duration {
    /// The duration in milliseconds: at least 1, because 0 means no timeout.
    var loadMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        let (milliseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return .max }
        return max(1, milliseconds.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000_000_000).partialValue)
    }
}

extension PasteboardError {
    /// The error of a load with more bytes than its destination accepts.
    ///
    /// - Parameter byteCount: the size, if it is known.
    static func tooLarge(_ type: UniformType, _ byteCount: UInt64?, maximum: Int) -> PasteboardError {
        let size = byteCount.map { "\($0) bytes, and the load allows \(maximum)" }
        let text = size ?? "more than the \(maximum) bytes that the load allows"
        return PasteboardError(
            .tooLarge,
            message: "\(type.identifier) has \(text): pass a larger maximumByteCount, or load it in chunks or into a "
                + "file"
        )
    }
}
