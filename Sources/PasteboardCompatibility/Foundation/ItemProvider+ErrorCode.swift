public import PasteboardKit

extension ItemProvider {
    /// The error codes of `NSItemProvider`, for code that was written for it.
    ///
    /// ``PasteboardError/itemProviderErrorCode`` is the code of an error of this library.
    public enum ErrorCode: Int, Sendable {
        /// All other failures.
        case unknownError = -1
        /// The item is not available: it does not exist, it has no such type, or its source could not provide it.
        case itemUnavailableError = -1000
        /// The source made an object of another class than it had announced. The compiler prevents that here; the code
        /// exists for programs that switch over all codes.
        case unexpectedValueClassError = -1100
        /// The bytes are not valid for their type, so the requested value cannot be made from them.
        case unavailableCoercionError = -1200
    }

    /// The domain of the error codes, and of a ``PasteboardError`` that is bridged to an `NSError`.
    public static let errorDomain = PasteboardError.domain
}

extension PasteboardError {
    /// The code of `NSItemProvider` for this failure, one of ``ItemProvider/ErrorCode``.
    ///
    /// | code | number |
    /// | --- | --- |
    /// | `nothing-here`, `type-unavailable`, `superseded`, `not-loadable-now` | -1000: there is no such item now |
    /// | `source-gone`, `source-failed`, `source-stalled`, `source-truncated` | -1000: the source failed |
    /// | `broker-unavailable`, `broker-restarted`, `link-down` | -1000: the connection to its source is lost |
    /// | `source-failed`, for a handler that violated its contract | -1 |
    /// | `source-failed`, for bytes that are not valid for their type | -1200 |
    /// | all others | -1 |
    ///
    /// -1100 does not occur, because the compiler checks the classes.
    public var itemProviderErrorCode: Int { _code }
}
