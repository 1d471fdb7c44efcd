/// The `error` frame: the reason why a stream, or with stream 0 the connection, has ended. It is the only error type of
/// the protocol, of the broker's state and of the client core, so that an error has the same form everywhere.
package struct Failure: WireMessage, Error, CustomStringConvertible {
    package static let kind = FrameKind.error

    /// The contents are in an object, because nearly every function may throw a failure but few do. The failure must
    /// not make the results of successful calls larger. An object is never changed.
    private final class Contents: Sendable {
        let code: ErrorCode
        let text: String
        let detail: String?
        let source: SourceFailure?

        init(_ code: ErrorCode, _ text: String, _ detail: String?, _ source: SourceFailure?) {
            self.code = code
            self.text = text
            self.detail = detail
            self.source = source
        }
    }

    private var contents: Contents

    package init(_ code: ErrorCode, _ text: String, detail: String? = nil, source: SourceFailure? = nil) {
        contents = Contents(code, text, detail, source)
    }

    package var code: ErrorCode {
        get { contents.code }
        set { self = Failure(newValue, text, detail: detail, source: source) }
    }

    /// One line of at most 1 KiB: what failed, on what, why, and what to do.
    package var text: String {
        get { contents.text }
        set { self = Failure(code, newValue, detail: detail, source: source) }
    }

    /// Further facts, one on each line, at most 4 KiB: for example, the available types.
    package var detail: String? {
        get { contents.detail }
        set { self = Failure(code, text, detail: newValue, source: source) }
    }

    /// Whether the detail lists the available alternatives, one on each line.
    package var listsWhatThereIs: Bool {
        detail?.isEmpty == false && [.typeUnavailable, .nothingHere].contains(code)
    }

    package var source: SourceFailure? {
        get { contents.source }
        set { self = Failure(code, text, detail: detail, source: newValue) }
    }

    /// The failure without characters that change a terminal, in all its texts. The detail keeps its lines.
    package var printable: Failure {
        var clean = Failure(code, text.printable)
        clean.detail = detail?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { String($0).printable }.joined(separator: "\n")
        clean.source = source.map { source in
            var clean = source
            clean.domain = source.domain.printable
            clean.message = source.message.printable
            return clean
        }
        return clean
    }

    package static func == (left: Failure, right: Failure) -> Bool {
        left.code == right.code && left.text == right.text && left.detail == right.detail && left.source == right.source
    }

    /// Creates a failure without a code, which is 0 on the wire as everywhere in protobuf. No error has this code.
    package init() {
        self.init(ErrorCode(rawValue: 0), "")
    }

    package var description: String { "\(code): \(text)" }

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, code.rawValue)
        bytes.appendField(2, text.prefix(utf8Count: WireLimits.errorText))
        bytes.appendField(3, detail?.prefix(utf8Count: WireLimits.errorDetail))
        bytes.appendField(4, source)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: code = ErrorCode(rawValue: try field.number32())
        case 2: text = try field.string(in: bytes).prefix(utf8Count: WireLimits.errorText)
        case 3: detail = try field.string(in: bytes).prefix(utf8Count: WireLimits.errorDetail)
        case 4: try field.merge(into: &source, in: bytes)
        default: break
        }
    }
}

/// The error of the source's own code. The class of the error is not sent, only these three values.
package struct SourceFailure: ProtobufMessage {
    package var domain: String
    package var code: UInt64
    package var message: String

    package init(domain: String = "", code: Int64 = 0, message: String = "") {
        self.domain = domain
        self.code = UInt64(bitPattern: code)
        self.message = message
    }

    package init() {
        self.init(domain: "")
    }

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, domain.prefix(utf8Count: WireLimits.errorText))
        bytes.appendField(2, code)
        bytes.appendField(3, message.prefix(utf8Count: WireLimits.errorText))
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: domain = try field.string(in: bytes).prefix(utf8Count: WireLimits.errorText)
        case 2: code = try field.number64()
        case 3: message = try field.string(in: bytes).prefix(utf8Count: WireLimits.errorText)
        default: break
        }
    }
}

extension String {
    /// The longest prefix of the string that fits `limit` bytes without cutting a scalar.
    package func prefix(utf8Count limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}

extension Failure {
    /// The failure of a request for contents of a board that has none.
    ///
    /// - Parameter cleared: the time since the board was cleared to make room for others, in milliseconds; nil if it was not.
    package static func empty(_ board: String, cleared: UInt64?) -> Failure {
        guard let cleared else { return Failure(.nothingHere, "pasteboard \(board) is empty") }
        let text =
            "pasteboard \(board) is empty: it was cleared \(TimeSpan.text(milliseconds: cleared)) ago to make room, because the "
            + "program that had written its contents had ended"
        return Failure(.nothingHere, text)
    }
}
