import BrokerState
import PasteboardTransport

/// The messages that were not sent to the service manager yet.
///
/// They are bounded even if the manager does not answer: removing a name that was not sent drops its message. So there
/// is at most one message for each saved descriptor, and one for each removal of a descriptor that was sent.
struct UnsentMessages {
    /// A descriptor that the manager is to hold, and the contents that it describes, if it is their description.
    private struct Store {
        let name: String
        let descriptor: DescriptorBox
        let contents: PublicationID?
    }

    // Removals are sent first: they need no descriptor, which the system may refuse to pass, and make room for what
    // follows. States are sent last, because they are about all messages before them.
    private var removals: ArraySlice<String> = []
    private var stores: ArraySlice<Store> = []
    private var states: ArraySlice<String> = []

    var isEmpty: Bool { removals.isEmpty && stores.isEmpty && states.isEmpty }
    var hasStores: Bool { !stores.isEmpty }

    mutating func store(_ descriptor: DescriptorBox, as name: String, describing contents: PublicationID? = nil) {
        stores.append(Store(name: name, descriptor: descriptor, contents: contents))
    }

    /// - Returns: the descriptor of that name, if it was not sent yet.
    mutating func remove(_ name: String) -> DescriptorBox? {
        if let unsent = stores.lastIndex(where: { $0.name == name }) { return stores.remove(at: unsent).descriptor }
        removals.append(name)
        return nil
    }

    mutating func add(state: String) {
        states.append(state)
    }

    /// Sends messages in their order, until `send` returns false.
    ///
    /// - Parameters:
    ///   - withStores: whether to send those with a descriptor.
    ///   - statesOvertake: whether states are sent even if descriptors wait.
    ///   - sent: called with the contents whose description has been sent.
    mutating func send(
        withStores: Bool,
        statesOvertake: Bool,
        _ send: (String, DescriptorBox?) -> Bool,
        sent: (PublicationID) -> Void
    ) {
        while let name = removals.first {
            guard send("FDSTOREREMOVE=1\nFDNAME=\(name)", nil) else { return }
            removals.removeFirst()
        }
        while withStores, let store = stores.first {
            guard send("FDSTORE=1\nFDNAME=\(store.name)", store.descriptor) else { break }
            stores.removeFirst()
            if let contents = store.contents { sent(contents) }
        }
        while stores.isEmpty || statesOvertake, let state = states.first {
            guard send(state, nil) else { return }
            states.removeFirst()
        }
    }
}
