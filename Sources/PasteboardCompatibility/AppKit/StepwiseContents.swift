import Foundation
import PasteboardKit
import PasteboardTransport

/// Contents that this program writes step by step: it clears the pasteboard or declares types, and then sets their
/// data.
final class StepwiseContents: Sendable {
    /// The types of an item with their data, best first.
    typealias Values = [(type: UniformType, data: Data)]

    /// The contents that this program has written.
    struct Written: Sendable {
        let publication: Publication
        /// The data of declared types; nil if no types were declared.
        var declared: DeclaredValues?
        /// The data of the first item that the broker keeps.
        var kept: Values = []
        var itemCount = 1
        /// Whether the first item has data that a data provider provides.
        var isPromised = false
        /// Whether the contents stay on this machine.
        var isLocalOnly = false
        /// The owners that will be notified of the end.
        var owners: Set<ObjectIdentifier> = []

        /// Whether the first item has a type.
        func has(_ type: UniformType) -> Bool {
            kept.contains { $0.type == type } || declared?.contains(type) ?? false
        }
    }

    private struct State {
        /// The options of the next write after this program has cleared the pasteboard; nil after a write.
        var cleared: Pasteboard.WriteOptions?
        var written: Written?
    }

    /// The order of the steps, each of which depends on the one before.
    let order = CallOrder()
    private let state = Lock(State())

    var cleared: Pasteboard.WriteOptions? { state.withLock { $0.cleared } }

    /// The contents, unless the ownership was lost.
    var written: Written? {
        state.withLock { $0.written }.flatMap { $0.publication.isCurrent ? $0 : nil }
    }

    func begin(cleared: Pasteboard.WriteOptions) {
        begin(State(cleared: cleared))
    }

    func begin(_ written: Written) {
        begin(State(written: written))
        // The data, which may be secret, and the owner are released at the end of the contents.
        Task { [weak self, end = written.publication.waitForEnd, id = ObjectIdentifier(written.publication)] in
            await end()
            self?.ended(id)
        }
    }

    private func ended(_ publication: ObjectIdentifier) {
        let before = state.withLock { state in
            state.written.map { ObjectIdentifier($0.publication) } == publication
                ? exchange(&state.written, with: nil) : nil
        }
        withExtendedLifetime(before) {}
    }

    // The old value is released without the lock: that may run the program's code.
    private func begin(_ new: State) {
        let before = state.withLock { state in exchange(&state, with: new) }
        withExtendedLifetime(before) {}
    }

    /// Records a change of the contents.
    func change(_ body: (inout Written) -> Void) {
        state.withLock { state in
            guard var written = state.written else { return }
            body(&written)
            state.written = written
        }
    }

    /// - Returns: false if the owner will be notified already.
    func addsOwner(_ owner: any NSPasteboardTypeOwner) -> Bool {
        state.withLock { $0.written?.owners.insert(ObjectIdentifier(owner)).inserted ?? true }
    }
}
