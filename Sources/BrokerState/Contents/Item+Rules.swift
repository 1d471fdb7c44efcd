import PasteboardWire
import TypeIdentifiers

// The rules for an item of a write.
extension Item {
    /// - Parameters:
    ///   - index: the number of items that the write already has.
    ///   - mayBeEmpty: whether the item only stands for one that exists, to which nothing is added.
    func check(at index: Int, mayBeEmpty: Bool = false) throws(Failure) {
        guard index < WireLimits.items else {
            throw Failure(.limitExceeded, "the write has too many items; at most \(WireLimits.items) are allowed")
        }
        guard mayBeEmpty || !representations.isEmpty else {
            throw Failure(.invalidArgument, "item \(index + 1) has no representation")
        }
        var types = Set<IdentifierKey>()
        for representation in representations {
            try representation.check(of: self)
            guard types.insert(IdentifierKey(representation.type)).inserted else {
                throw Failure(.invalidArgument, "an item lists \(representation.type) twice")
            }
        }
    }
}

extension Representation {
    fileprivate func check(of item: Item) throws(Failure) {
        guard TypeIdentifier.isWellFormed(type), supertypes.allSatisfy(TypeIdentifier.isWellFormed) else {
            throw Failure(
                .invalidArgument,
                "'\(type.printable.prefix(utf8Count: WireLimits.name))' or a supertype of it is not a "
                    + "type identifier; use letters, digits, '-', '.' and '_', at most \(WireLimits.typeIdentifier) bytes"
            )
        }
        guard visibility?.isKnown ?? true, [.promised, .kept].contains(provision ?? .absent) else {
            throw Failure(.invalidArgument, "\(type) has an unknown visibility or provision")
        }
        guard file?.isWellFormed ?? true else {
            throw Failure(
                .invalidArgument,
                "\(type) has a file name that is not one component of a path: 1 to \(WireLimits.name) bytes "
                    + "without '/' and NUL, and neither '.' nor '..'"
            )
        }
        let content = content ?? .absent
        guard content.isKnown, content == .plain || provision == .kept else {
            throw Failure(
                .invalidArgument,
                "\(type) has an unknown content value, or has a content value although it is promised"
            )
        }
        let policy = policy ?? .absent
        guard policy.isKnown, policy == .askedEachTime || provision ?? .absent == .promised else {
            throw Failure(.invalidArgument, "\(type) has an unknown policy, or has a policy although it is kept")
        }
        guard policy == .askedEachTime || item.requires.contains(Feature.onceAndKept.rawValue) else {
            throw Failure(
                .invalidArgument,
                "\(type) has the policy once-and-kept, so its item must require feature \(Feature.onceAndKept.rawValue)"
            )
        }
    }
}

extension StoredRepresentation {
    init(_ representation: Representation, kept: KeptID?, keepAlive: UInt64) {
        self.init(
            type: representation.type,
            supertypes: representation.supertypes,
            visibility: representation.visibility ?? .absent,
            isKeptOnce: representation.policy == .onceAndKept,
            isOpenInPlace: representation.fileOptions?.contains(.openInPlace) == true,
            firstByteMilliseconds: UInt32(clamping: min(representation.firstByteMilliseconds ?? 0, keepAlive)),
            byteCount: kept == nil ? representation.byteCount : nil,
            file: representation.file.map(StoredRepresentation.File.init),
            kept: kept
        )
    }
}

extension String {
    /// The name as it is passed on: without control characters, and of a bounded length.
    var asSuggestedName: String { withoutControls.prefix(utf8Count: WireLimits.name) }
}
