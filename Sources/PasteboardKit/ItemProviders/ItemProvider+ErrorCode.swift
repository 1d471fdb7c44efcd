extension ItemProvider {
    /// The numbers that `NSItemProvider` has for its failures, for code that was written for it.
    ///
    /// ``PasteboardError/itemProviderErrorCode`` gives one for every error of this library.
    public enum ErrorCode: Int, Sendable {
        /// Something else.
        case unknownError = -1
        /// The item cannot be had: there is none, not as this type, or its source could not give it.
        case itemUnavailableError = -1000
        /// The source made an object of another class than it had announced. Here the compiler sees to that; the number is
        /// there for code that switches over all of them.
        case unexpectedValueClassError = -1100
        /// The bytes are not what their type says, so that the value that was wanted cannot be made of them.
        case unavailableCoercionError = -1200
    }

    /// The domain of the error codes, and of a ``PasteboardError`` that is taken for an `NSError`.
    public static let errorDomain = PasteboardError.domain
}

extension PasteboardError {
    /// Where the library fails on behalf of a source's handler, or on its bytes, it reports the error as the source would.
    static func broken(_ message: String, _ code: ItemProvider.ErrorCode) -> PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: message,
            sourceError: .init(domain: ItemProvider.errorDomain, code: code.rawValue, message: message)
        )
    }

    /// The bytes that came are not of the type they should have.
    static func unreadable(_ type: UniformType, _ why: String) -> PasteboardError {
        broken("the bytes that came are not \(type.identifier): \(why)", .unavailableCoercionError)
    }
}
