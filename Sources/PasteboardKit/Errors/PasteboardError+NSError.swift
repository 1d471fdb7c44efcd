extension PasteboardError {
    /// The code of `NSItemProvider` for bytes that are not valid for their type.
    private static let unavailableCoercion = -1200

    /// Makes the error for received bytes that are not valid for their type.
    static func unreadable(_ type: UniformType, _ why: String) -> PasteboardError {
        broken("the received bytes are not \(type.identifier): \(why)", code: unavailableCoercion)
    }
}

// The domain and code for programs that were written for NSItemProvider. A bridge to `NSError` takes them from these
// two requirements of `Error`, in spite of their underscores.
extension PasteboardError {
    /// The domain of item providers' errors, as with NSItemProvider.
    public var _domain: String { Self.domain }

    /// The code of NSItemProvider for this failure: -1000 for what is not available, -1200 for bytes that are not valid
    /// for their type, and -1 for the rest.
    public var _code: Int {
        if let sourceError, sourceError.domain == Self.domain {
            return [-1000, -1100, -1200].contains(sourceError.code) ? sourceError.code : -1
        }
        return switch code {
        case .nothingHere, .typeUnavailable, .superseded, .notLoadableNow, .sourceGone, .sourceFailed,
            .sourceStalled, .sourceTruncated, .brokerUnavailable, .brokerRestarted, .brokerStopped, .linkDown:
            -1000
        default: -1
        }
    }
}
