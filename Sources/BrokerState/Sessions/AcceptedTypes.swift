import PasteboardWire
import TypeIdentifiers

/// What a destination takes. Asked about each representation of a session that comes to it, of which there may be
/// thousands, so that what one question costs does not depend on how much the destination takes.
struct AcceptedTypes: Sendable {
    private let takesAny: Bool
    private let exact: Set<IdentifierKey>
    private let targets: Conformance.Targets

    init(_ accepts: [Accept]) {
        self.takesAny = accepts.isEmpty || accepts.contains { $0.match == .any }
        self.exact = Set(accepts.filter { $0.match == .exact }.map { IdentifierKey($0.type) })
        self.targets = Conformance.Targets(accepts.filter { $0.match != .exact && $0.match != .any }.map(\.type))
    }

    func take(_ candidate: some AcceptList.Candidate) -> Bool {
        self.takesAny || (!self.exact.isEmpty && self.exact.contains(IdentifierKey(candidate.type)))
            || candidate.reach.conforms(toAny: self.targets)
    }
}
