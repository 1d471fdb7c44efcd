import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension PasteboardError {
    /// Makes the error of a failure. Its texts may have been chosen by another process.
    init(_ failure: Failure) {
        let failure = failure.printable
        let details = failure.detail.map { $0.split(separator: "\n").joined(separator: ", ") }
        let text = failure.text
        self.init(
            Code(rawValue: failure.code.rawValue),
            message: details.map { failure.listsWhatThereIs ? "\(text); available: \($0)" : "\(text) (\($0))" } ?? text,
            sourceError: failure.source.map { source in
                SourceError(
                    domain: source.domain,
                    code: Int(truncatingIfNeeded: source.code),
                    message: source.message
                )
            }
        )
    }

    /// Makes the error of a local load whose handler failed. It is the same as for a load from another process.
    init(ofHandler error: any Error) {
        var failure = Failure(ofHandler: error)
        failure.text = "the handler failed: \(failure.text)"
        self.init(failure)
    }

    /// The domain of errors that this library reports on behalf of a source's handler.
    package static let domain = "PasteboardKit.ItemProvider"

    /// Makes the error of a failure that the library detects in a source's handler or in its bytes. It has the form of
    /// an error of the source, of the domain above.
    package static func broken(_ message: String, code: Int = -1) -> PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: message,
            sourceError: SourceError(domain: domain, code: code, message: message)
        )
    }

    /// Makes the error of an item that its source could not provide.
    static func unavailable(_ message: String) -> PasteboardError { broken(message, code: -1000) }

    /// The error of a load that was cancelled. The errors of other calls are made by their ``Call``.
    package static var cancelled: PasteboardError { PasteboardError(.cancelled, message: "the load was cancelled") }

    /// Makes the error of a load whose bytes were read in this process, from a passed file or from a handler.
    init(ofLoad error: any Error) {
        switch error {
        case let error as PasteboardError: self = error
        case let failure as Failure: self.init(failure)
        default: self.init(ofHandler: error)
        }
    }

    static func typeUnavailable(_ accepted: [UniformType], among types: [UniformType]) -> PasteboardError {
        let wanted = accepted.map(\.identifier).joined(separator: " or ")
        return PasteboardError(
            .typeUnavailable,
            message: "the item cannot be loaded as \(wanted); \(types.asAvailable)"
        )
    }
}

extension [UniformType] {
    /// The types of an item, for an error of a load of another type.
    var asAvailable: String {
        isEmpty ? "it has no representation" : "available: \(map(\.identifier).joined(separator: ", "))"
    }
}

extension PasteboardError.Code {
    /// The code for a failed system call: `noSpace` or `limitExceeded` if a resource has run out, otherwise `refused`.
    init(_ error: SystemError) {
        self.init(rawValue: (error.shortage ?? .refused).rawValue)
    }
}

extension PasteboardError.SourceError {
    /// Describes an error as other processes receive it. The message is the user-facing text if the error is a
    /// `LocalizedError` or an `NSError` that has one, otherwise its `description`, which Swift generates for a type
    /// without one.
    init(_ error: any Error) {
        switch error {
        case let error as PasteboardError:
            if let sourceError = error.sourceError {
                self = sourceError
            } else {
                self.init(
                    domain: "PasteboardKit.PasteboardError",
                    code: Int(error.code.rawValue),
                    message: error.shortMessage ?? error.message
                )
            }
        default:
            if let known = FoundationErrorText(error) {
                self.init(domain: known.domain, code: known.code, message: known.text)
            } else {
                // Every error has these two properties in spite of their underscores; for an NSError they are its own
                // domain and code.
                self.init(
                    domain: error._domain.withoutContextAddresses,
                    code: error._code,
                    message: Self.words(of: error).withoutContextAddresses
                )
            }
        }
    }

    private static func words(of error: any Error) -> String {
        switch error {
        case let error as SystemError: return "\(error.withoutDirectory)"
        case let error as any LocalizedError:
            let words = [error.errorDescription, error.failureReason].lazy.compactMap(\.self).first { !$0.isEmpty }
            return words ?? "\(error)"
        default: return "\(error)"
        }
    }
}

extension Failure {
    /// Makes the failure that is sent to the destination if a handler throws `error`.
    init(ofHandler error: any Error) {
        let source = PasteboardError.SourceError(error)
        self.init(
            .sourceFailed,
            // The code that reports the failure adds that it is the handler's error.
            source.message,
            source: SourceFailure(domain: source.domain, code: Int64(source.code), message: source.message)
        )
    }
}

extension String {
    /// Removes the memory addresses that Swift puts into the names of private types:
    /// `Printer.(unknown context at $55d82927dc58).Jam` becomes `Printer.Jam`.
    fileprivate var withoutContextAddresses: String {
        let start = "(unknown context at $"
        guard contains(start) else { return self }
        var parts = split(separator: start, omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            guard let end = parts[index].firstIndex(of: ")") else { continue }
            let rest = parts[index][end...].dropFirst()
            parts[index] = String(rest.hasPrefix(".") ? rest.dropFirst() : rest)
        }
        return parts.joined()
    }
}
