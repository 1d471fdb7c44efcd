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
        let lastStream: UInt64?

        init(
            _ code: ErrorCode,
            _ text: String,
            _ detail: String?,
            _ source: SourceFailure?,
            _ lastStream: UInt64?
        ) {
            self.code = code
            self.text = text
            self.detail = detail
            self.source = source
            self.lastStream = lastStream
        }
    }

    private var contents: Contents

    package init(
        _ code: ErrorCode,
        _ text: String,
        detail: String? = nil,
        source: SourceFailure? = nil,
        lastStream: UInt64? = nil
    ) {
        contents = Contents(code, text, detail, source, lastStream)
    }

    /// Whether both are one failure. A broker may refuse a request in the words in which it announces its end.
    package func isIdentical(to other: Failure?) -> Bool { contents === other?.contents }

    package var code: ErrorCode {
        get { contents.code }
        set { self = Failure(newValue, text, detail: detail, source: source, lastStream: lastStream) }
    }

    /// One line of at most 1 KiB: what failed, on what, why, and what to do.
    package var text: String {
        get { contents.text }
        set { self = Failure(code, newValue, detail: detail, source: source, lastStream: lastStream) }
    }

    /// Further facts, one on each line, at most 4 KiB: for example, the available types.
    package var detail: String? {
        get { contents.detail }
        set { self = Failure(code, text, detail: newValue, source: source, lastStream: lastStream) }
    }

    /// Whether the detail lists the available alternatives, one on each line.
    package var listsWhatThereIs: Bool {
        detail?.isEmpty == false && [.typeUnavailable, .nothingHere].contains(code)
    }

    package var source: SourceFailure? {
        get { contents.source }
        set { self = Failure(code, text, detail: detail, source: newValue, lastStream: lastStream) }
    }

    /// In a farewell, the last stream of this client that the broker has taken. Everything on it and before it was
    /// answered, and nothing later was carried out.
    package var lastStream: UInt64? {
        get { contents.lastStream }
        set { self = Failure(code, text, detail: detail, source: source, lastStream: newValue) }
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
        clean.lastStream = lastStream
        return clean
    }

    package static func == (left: Failure, right: Failure) -> Bool {
        left.code == right.code && left.text == right.text && left.detail == right.detail && left.source == right.source
            && left.lastStream == right.lastStream
    }

    /// Creates a failure without a code, which is 0 on the wire as everywhere in protobuf. No error has this code.
    package init() {
        self.init(ErrorCode(rawValue: 0), "")
    }

    package var description: String { "\(code): \(text)" }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        // Each change of one makes an object, and a decoder visits all fields once more for each that is out of order
        // or unknown.
        var (code, text, detail, source, lastStream) = (code, text, detail, source, lastStream)
        visit(1, "code", &code)
        visit(2, "text", &text[upTo: WireLimits.errorText])
        visit(3, "detail", &detail[upTo: WireLimits.errorDetail])
        visit(4, "source", &source)
        visit(5, "last_stream", &lastStream)
        self = Failure(code, text, detail: detail, source: source, lastStream: lastStream)
    }
}

/// The error of the source's own code. The class of the error is not sent, only these three values.
package struct SourceFailure: ProtobufMessage {
    package var domain: String
    package var code: Int64
    package var message: String

    package init(domain: String = "", code: Int64 = 0, message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    package init() {
        self.init(domain: "")
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "domain", &domain[upTo: WireLimits.errorText])
        visit(2, "code", &code)
        visit(3, "message", &message[upTo: WireLimits.errorText])
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

    /// The string in a message that cuts it to `limit` bytes when it is sent and when it is received.
    fileprivate subscript(upTo limit: Int) -> String {
        get { prefix(utf8Count: limit) }
        set { self = newValue.prefix(utf8Count: limit) }
    }
}

extension String? {
    fileprivate subscript(upTo limit: Int) -> String? {
        get { self?.prefix(utf8Count: limit) }
        set { self = newValue?.prefix(utf8Count: limit) }
    }
}

extension Failure {
    /// The failure of a request for contents of a board that has none.
    ///
    /// - Parameter cleared: the time since the board was cleared to make room for others, in milliseconds; nil if it
    ///   was not.
    package static func empty(_ board: String, cleared: UInt64?) -> Failure {
        guard let cleared else { return Failure(.nothingHere, "pasteboard \(board) is empty") }
        let text =
            "pasteboard \(board) is empty: it was cleared \(TimeSpan.text(milliseconds: cleared)) ago to make room, because the "
            + "program that had written its contents had ended"
        return Failure(.nothingHere, text)
    }
}
