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
        let live: LiveConnection
    }

    private struct State {
        /// The change count after this program has cleared the pasteboard; nil after a write.
        var cleared: ChangeCount?
        var written: Written?
        /// The data of declared types that were set.
        var values: [UniformType: Data] = [:]
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

    /// The publication, unless the ownership was lost.
    func publication(of pasteboard: Pasteboard) -> Publication? {
        guard let written = state.withLock({ $0.written }) else { return nil }
        let publication = Publication(
            changeCount: written.changeCount,
            request: written.request,
            of: pasteboard,
            live: written.live
        )
        return publication.isCurrent ? publication : nil
    }

    func begin(cleared: ChangeCount) {
        let before = state.withLock { state in exchange(&state, with: State(cleared: cleared)) }
        withExtendedLifetime(before) {}
    }

    func begin(_ publication: Publication) {
        let written = Written(
            changeCount: publication.changeCount,
            request: publication.request,
            live: publication.live
        )
        let before = state.withLock { state in
            exchange(&state, with: State(written: written, values: state.values))
        }
        withExtendedLifetime(before) {}
    }

    func removeValues() {
        let before = state.withLock { state in exchange(&state.values, with: [:]) }
        withExtendedLifetime(before) {}
    }

    func value(of type: UniformType) -> Data? { state.withLock { $0.values[type] } }

    func set(_ data: Data, for type: UniformType) {
        state.withLock { $0.values[type] = data }
    }
}

/// The data that an owner provides during one call of its callback.
final class ProvidedData: Sendable {
    @TaskLocal static var current: ProvidedData?

    private let values = Lock<[UniformType: Data]>([:])

    subscript(type: UniformType) -> Data? {
        get { values.withLock { $0[type] } }
        set { values.withLock { $0[type] = newValue } }
    }
}
