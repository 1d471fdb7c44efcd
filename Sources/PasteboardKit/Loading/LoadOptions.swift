import PasteboardTransport
import PasteboardWire

/// The conditions that a destination sets for a load.
///
///     let data = try await item.loadData(for: .plainText, options: LoadOptions(timeout: .seconds(5)))
public struct LoadOptions: Sendable, Hashable {
    /// The maximum duration of the load, which includes connecting. nil: the load fails if the source neither provides
    /// a first byte nor reports progress for 30 s, or then makes no progress for 10 s.
    public var timeout: Duration?
    /// The largest number of bytes that is accepted; a larger load fails with `too-large`. nil: any number in chunks
    /// and in files, and a quarter of this process's memory in memory, so that a source that never ends does not fill
    /// it. For a folder, the size of its archive counts.
    public var maximumByteCount: Int?
    /// Whether no person asked for the load, as in a history. Concealed contents and contents with a limited number of
    /// loads refuse it, with `concealed` or `not-permitted`. A connection that is made with
    /// `isAutomatic: true` says so for all of its loads.
    public var isAutomatic: Bool

    /// Makes options, by default without a condition.
    ///
    /// - Parameters:
    ///   - timeout: the maximum duration of the load; nil: as ``timeout`` says.
    ///   - maximumByteCount: the largest number of bytes that is accepted; nil: as ``maximumByteCount`` says.
    ///   - isAutomatic: whether no person asked for the load.
    public init(timeout: Duration? = nil, maximumByteCount: Int? = nil, isAutomatic: Bool = false) {
        self.timeout = timeout
        self.maximumByteCount = maximumByteCount
        self.isAutomatic = isAutomatic
    }

    /// The largest number of bytes of a load that sets no maximum: a quarter of the memory that this process may use.
    static let standardMaximum: Int = {
        let memory = min(System.memorySize(), System.groupMemoryLimit() ?? .max)
        return Int(clamping: memory / 4)
    }()

    /// The largest number of bytes that is accepted into memory.
    var maximum: Int { maximumByteCount.map { max(0, $0) } ?? Self.standardMaximum }

    /// Whether the request has no field for them. The destination still applies the standard maximum.
    var areStandard: Bool { timeout == nil && maximumByteCount == nil && !isAutomatic }
}

extension Load {
    /// Sets the conditions in the request of a load.
    ///
    /// - Parameter isAutomatic: whether all loads over its connection are automatic.
    mutating func limit(_ options: LoadOptions, isAutomatic allAreAutomatic: Bool) {
        maximumByteCount = options.maximumByteCount.map { UInt64(clamping: $0) }
        if options.isAutomatic || allAreAutomatic { isAutomatic = true }
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
