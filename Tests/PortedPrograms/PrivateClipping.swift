import PasteboardCompatibility

/// A clipping with a part for this process alone, a part for the team's programs, and a public one.
struct PrivateClipping: Sendable {
    static let editingType = "com.example.clipping.editing-state"
    static let teamType = "com.example.clipping.shared"

    let text: String

    func itemProvider() -> NSItemProvider {
        let itemProvider = NSItemProvider()
        let text = text
        itemProvider.registerDataRepresentation(
            forTypeIdentifier: Self.editingType,
            visibility: .ownProcess
        ) { completion in
            completion("cursor at \(text.count)".data(using: .utf8), nil)
            return nil
        }
        itemProvider.registerDataRepresentation(
            forTypeIdentifier: Self.teamType,
            visibility: .team
        ) { completion in
            completion("team: \(text)".data(using: .utf8), nil)
            return nil
        }
        itemProvider.registerObject(text as NSString, visibility: .all)
        itemProvider.suggestedName = "clipping"
        itemProvider.teamData = "version 2".data(using: .utf8)
        itemProvider.preferredPresentationStyle = .inline
        return itemProvider
    }
}

/// What some program sees of it.
struct ClippingView {
    let itemProvider: NSItemProvider

    var version: String? {
        itemProvider.teamData.flatMap { String(data: $0, encoding: .utf8) }
    }

    var isInline: Bool {
        itemProvider.preferredPresentationStyle == .inline
    }

    func loadEditingState(completionHandler: @escaping @Sendable (String?, Int?) -> Void) {
        itemProvider.loadDataRepresentation(forTypeIdentifier: PrivateClipping.editingType) { data, error in
            if let error = error as NSError? {
                completionHandler(nil, error.code)
            } else {
                completionHandler(data.flatMap { String(data: $0, encoding: .utf8) }, nil)
            }
        }
    }

    func loadText() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            _ = itemProvider.loadObject(ofClass: String.self) { string, error in
                if let string {
                    continuation.resume(returning: string)
                } else {
                    continuation.resume(throwing: error ?? NSItemProvider.ErrorCode.unknownError.asError)
                }
            }
        }
    }
}

extension NSItemProvider.ErrorCode {
    fileprivate var asError: NSError {
        NSError(domain: NSItemProvider.errorDomain, code: rawValue, userInfo: nil)
    }
}
