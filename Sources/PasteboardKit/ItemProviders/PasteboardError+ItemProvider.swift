// The domain and code for programs that were written for NSItemProvider. A bridge to `NSError` takes them from these
// two requirements of `Error`, in spite of their underscores.
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
    public var itemProviderErrorCode: Int {
        if let sourceError, sourceError.domain == ItemProvider.errorDomain {
            return (ItemProvider.ErrorCode(rawValue: sourceError.code) ?? .unknownError).rawValue
        }
        let error: ItemProvider.ErrorCode =
            switch code {
            case .nothingHere, .typeUnavailable, .superseded, .notLoadableNow, .sourceGone, .sourceFailed,
                .sourceStalled, .sourceTruncated, .brokerUnavailable, .brokerRestarted, .linkDown:
                .itemUnavailableError
            default: .unknownError
            }
        return error.rawValue
    }

    /// The domain: ``ItemProvider/errorDomain``.
    public var _domain: String { ItemProvider.errorDomain }

    /// The code: ``itemProviderErrorCode``.
    public var _code: Int { itemProviderErrorCode }
}
