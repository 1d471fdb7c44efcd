import PasteboardCompatibility

/// Imports whatever a share sheet hands over: the first type of its own list that an item has.
final class ImportQueue: @unchecked Sendable {
    struct Import: Equatable {
        let typeIdentifier: String
        let byteCount: Int
    }

    static let acceptedTypes: [UTType] = [.pdf, .rtf, .html, .plainText]

    private let lock = NSLock()
    private var imports: [Import?] = []
    private var problems: [String] = []

    func process(_ itemProviders: [NSItemProvider], completion: @escaping @Sendable ([Import], [String]) -> Void) {
        let group = DispatchGroup()
        imports = Array(repeating: nil, count: itemProviders.count)

        for (index, itemProvider) in itemProviders.enumerated() {
            let match = Self.acceptedTypes.first {
                itemProvider.hasItemConformingToTypeIdentifier($0.identifier)
            }
            group.enter()
            itemProvider.loadDataRepresentation(forTypeIdentifier: (match ?? .pdf).identifier) { data, error in
                defer { group.leave() }
                self.lock.lock()
                defer { self.lock.unlock() }
                if let data, let match {
                    self.imports[index] = Import(typeIdentifier: match.identifier, byteCount: data.count)
                } else if let error {
                    self.problems.append(Self.message(for: error, index: index))
                }
            }
        }

        group.notify(queue: .global()) {
            self.lock.lock()
            defer { self.lock.unlock() }
            completion(self.imports.compactMap { $0 }, self.problems.sorted())
        }
    }

    private static func message(for error: Error, index: Int) -> String {
        let error = error as NSError
        guard error.domain == NSItemProvider.errorDomain else { return "item \(index): \(error.domain)" }
        switch NSItemProvider.ErrorCode(rawValue: error.code) {
        case .itemUnavailableError: return "item \(index): not available"
        case .unexpectedValueClassError, .unavailableCoercionError: return "item \(index): not convertible"
        default: return "item \(index): failed"
        }
    }
}
