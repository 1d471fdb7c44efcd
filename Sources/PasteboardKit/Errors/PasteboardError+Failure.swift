import PasteboardWire

extension PasteboardError {
    init(_ failure: Failure) {
        let details = failure.detail.map { $0.split(separator: "\n").joined(separator: ", ") }
        let text = failure.text
        self.init(
            Code(rawValue: failure.code.rawValue),
            message: details.map { failure.listsWhatThereIs ? "\(text); there are: \($0)" : "\(text) (\($0))" } ?? text,
            sourceError: failure.source.map { source in
                SourceError(
                    domain: source.domain,
                    code: Int(truncatingIfNeeded: source.code),
                    message: source.message
                )
            }
        )
    }

    /// What the error of a handler of this process looks like to the loads of this process: as to any other.
    init(ofHandler error: any Error) {
        var failure = Failure(ofHandler: error)
        failure.text = "the handler failed: \(failure.text)"
        self.init(failure)
    }

    /// The error of a load that was cancelled; every other call names itself: see ``Call``.
    static var cancelled: PasteboardError { Call("the load").cancelled }

    /// What a load ends with that has taken its bytes in this process: from a file that came, or from a handler.
    init(ofLoad error: any Error) {
        switch error {
        case let error as PasteboardError: self = error
        case let failure as Failure: self.init(failure)
        default: self.init(ofHandler: error)
        }
    }

    static func typeUnavailable(_ accepted: [UniformType], among types: [UniformType]) -> PasteboardError {
        let there = types.isEmpty ? "it has none" : "there are: \(types.map(\.identifier).joined(separator: ", "))"
        return PasteboardError(
            .typeUnavailable,
            message: "the item cannot be loaded as \(accepted.map(\.identifier).joined(separator: " or ")); \(there)"
        )
    }
}

extension PasteboardError.SourceError {
    /// What crosses of any error.
    init(_ error: any Error) {
        switch error {
        case let error as PasteboardError:
            if let sourceError = error.sourceError {
                self = sourceError
            } else {
                self.init(
                    domain: "PasteboardKit.PasteboardError",
                    code: Int(error.code.rawValue),
                    message: error.message
                )
            }
        default:
            // The underscores notwithstanding, this is where every error has the two, NSError's own among them.
            if let known = FoundationErrorText(error) {
                self.init(domain: known.domain, code: known.code, message: known.text)
            } else {
                self.init(domain: error._domain, code: error._code, message: "\(error)")
            }
        }
    }
}

extension Failure {
    /// What a destination is told of a handler's error.
    init(ofHandler error: any Error) {
        let source = PasteboardError.SourceError(error)
        self.init(
            .sourceFailed,
            // Whoever tells it says whose error it is.
            source.message,
            source: SourceFailure(domain: source.domain, code: Int64(source.code), message: source.message)
        )
    }
}
