import FoundationEssentials
import PasteboardTransport
import PasteboardWire

/// Contents that this program writes step by step, in the manner of NSPasteboard: it clears the pasteboard or declares
/// types, and then sets their data. It is the value of ``PasteboardConnection`` for the name of the pasteboard.
///
/// It does not refer to the publication, which would keep the connection.
final class StepwiseContents: Sendable {
    struct Written: Sendable {
        let changeCount: ChangeCount
        let request: WriteRequest
        /// The data of declared types; nil if no types were declared.
        let values: DeclaredValues?
        /// Whether objects were written, which promise most of their types.
        var hasObjects = false
        /// The owners that will be notified of the end.
        var owners: Set<ObjectIdentifier> = []
    }

    private struct State {
        /// The change count after this program has cleared the pasteboard; nil after a write.
        var cleared: ChangeCount?
        var written: Written?
    }

    /// The order of the steps, each of which depends on the one before.
    let order = CallOrder()
    private let state = Lock(State())

    /// The contents of a pasteboard of this program; new ones if it has none.
    static func of(_ pasteboard: Pasteboard) -> StepwiseContents {
        pasteboard.connection.attachments.withLock { attachments in
            if let known = attachments[pasteboard.name.rawValue] as? StepwiseContents { return known }
            let new = StepwiseContents()
            attachments[pasteboard.name.rawValue] = new
            return new
        }
    }

    var cleared: ChangeCount? { state.withLock { $0.cleared } }
    var values: DeclaredValues? { state.withLock { $0.written?.values } }
    /// Whether the data of all types was set, and is kept.
    var isSet: Bool { state.withLock { $0.written.map { $0.values == nil && !$0.hasObjects } ?? false } }

    /// The publication, unless the ownership was lost.
    func publication(of pasteboard: Pasteboard) -> Publication? {
        guard let written = state.withLock({ $0.written }) else { return nil }
        let publication = Publication(changeCount: written.changeCount, request: written.request, of: pasteboard)
        return publication.isCurrent ? publication : nil
    }

    func begin(cleared: ChangeCount) {
        begin(State(cleared: cleared))
    }

    func begin(_ publication: Publication, values: DeclaredValues?) {
        let request = publication.request
        begin(
            State(
                written: Written(
                    changeCount: publication.changeCount,
                    request: request,
                    values: values
                )
            )
        )
        // The data, which may be secret, and the owner are released at the end of the contents.
        Task(executorPreference: ThreadPool.completions) { [weak self] in
            _ = try? await request.end.value(for: Call("the wait for the publication's end"))
            self?.ended(request)
        }
    }

    private func ended(_ request: WriteRequest) {
        let before = state.withLock { state in
            state.written?.request === request ? exchange(&state.written, with: nil) : nil
        }
        withExtendedLifetime(before) {}
    }

    // The old value is released without the lock: that may run the program's code.
    private func begin(_ new: State) {
        let before = state.withLock { state in exchange(&state, with: new) }
        withExtendedLifetime(before) {}
    }

    func hasObjects() {
        state.withLock { $0.written?.hasObjects = true }
    }

    /// - Returns: false if the owner will be notified already.
    func addsOwner(_ owner: any PasteboardTypeOwner) -> Bool {
        state.withLock { $0.written?.owners.insert(ObjectIdentifier(owner)).inserted ?? true }
    }
}
