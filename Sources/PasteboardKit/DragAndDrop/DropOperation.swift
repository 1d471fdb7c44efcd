import PasteboardClient

/// What a drop does.
public enum DropOperation: UInt, Sendable {
    /// Nothing; the session is cancelled.
    case cancel
    /// Nothing, where something like it would be welcome at another time.
    case forbidden
    /// The destination gets a copy.
    case copy
    /// The destination gets the items, and the source deletes them once it has.
    case move

    init(_ operation: SessionOperation) {
        switch operation {
        case .cancel: self = .cancel
        case .forbidden: self = .forbidden
        case .copy: self = .copy
        case .move: self = .move
        }
    }

    var sessionOperation: SessionOperation {
        switch self {
        case .cancel: .cancel
        case .forbidden: .forbidden
        case .copy: .copy
        case .move: .move
        }
    }
}
