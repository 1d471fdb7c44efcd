import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Calls functions of the system. Their error says that `what` could not be done with `subject`.
func explaining<Value: ~Copyable>(
    _ what: String,
    _ subject: some CustomStringConvertible,
    _ body: () throws -> Value
) throws -> Value {
    do {
        return try body()
    } catch let error as SystemError {
        throw CommandFailure(what, subject, error)
    }
}

/// The failure of a command: the exit code, one line of text, and optional lines of detail.
struct CommandFailure: Error {
    let exitCode: CInt
    /// The error code of the protocol, if it is an error of the pasteboards.
    private var code: ErrorCode?
    /// Whether the detail lists what there is instead of what was requested.
    private var isListing = false
    /// The message; nil for a silent end, for example when the reader of a pipe has ended.
    var text: String?
    var detail: [String] = []

    init(exitCode: CInt, _ text: String?, detail: [String] = []) {
        self.exitCode = exitCode
        self.text = text
        self.detail = detail
    }

    init(usage text: String) {
        self.init(exitCode: 2, text)
    }

    /// A failure of a local file, directory or disk.
    init(local text: String) {
        self.init(exitCode: 4, text)
    }

    /// `what` could not be done with `subject`.
    init(_ what: String, _ subject: some CustomStringConvertible, _ error: SystemError) {
        self.init(local: "\(what) \(subject): \(error.reason)")
    }

    static func signaled(_ signal: CInt) -> CommandFailure {
        CommandFailure(exitCode: 128 + signal, nil)
    }

    /// The failure for any error that a command threw.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as Failure: self.init(failure)
        case let error as RequestFailure: self.init(error.failure)
        case let error as SystemError: self.init(local: error.description)
        default: self.init(local: "\(error)")
        }
    }

    private init(_ failure: Failure) {
        var text = failure.text.isEmpty ? failure.code.description : failure.text
        if let source = failure.source, !source.message.isEmpty, !text.contains(source.message) {
            text += " (\(source.domain) \(source.code): \(source.message))"
        }
        let detail = failure.detail?.split(separator: "\n").map(String.init) ?? []
        self.init(
            exitCode: Self.exitCode(of: failure.code),
            text,
            detail: failure.listsWhatThereIs ? detail.map(UniformType.readable) : detail
        )
        (code, isListing) = (failure.code, failure.listsWhatThereIs)
    }

    private func json(_ text: String) -> JSONValue {
        let local: [CInt: String] = [2: "invalid-argument", 4: "local-error", 126: "cannot-run", 127: "not-found"]
        return [
            "command": JSONValue(Invocation.current.command),
            "code": .string(code?.description ?? local[exitCode] ?? "interrupted"),
            "message": .string(text),
            "detail": .array(detail.map { .string($0) }),
            "exitCode": JSONValue(exitCode),
        ]
    }

    /// The exit code of an error code. An unknown code was sent by a newer program, so its exit code is that of
    /// `versionMismatch`.
    static func exitCode(of code: ErrorCode) -> CInt {
        knownExitCode(of: code) ?? 9
    }

    /// The table of exit codes; nil for an unknown error code. A test requires an entry for each code of the protocol.
    static func knownExitCode(of code: ErrorCode) -> CInt? {
        switch code {
        case .nothingHere, .typeUnavailable: 1
        case .invalidArgument: 2
        case .brokerUnavailable, .brokerRestarted, .brokerStopped, .linkDown: 3
        case .sourceGone, .sourceFailed, .sourceStalled, .sourceTruncated, .destinationGone, .destinationStalled: 5
        case .notPermitted, .refused, .concealed, .limitExceeded, .tooLarge, .noSpace, .superseded, .notLoadableNow: 6
        case .timeout: 7
        case .cancelled: 8
        case .protocolViolation, .versionMismatch: 9
        default: nil
        }
    }

    /// `pasteboard: paste: text`, then the detail; with --json one line of JSON.
    func report() {
        guard let text else { return }
        guard !Invocation.current.isJSON else {
            try? StandardStreams.print(json: json(text), to: 2)
            return
        }
        StandardStreams.report("\(Invocation.current.prefix)\(text)\(isListing ? "; available:" : "")")
        for line in detail { StandardStreams.report("  \(line)") }
    }
}
