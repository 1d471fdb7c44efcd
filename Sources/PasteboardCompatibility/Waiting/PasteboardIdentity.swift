package import PasteboardKit

/// Tells the pasteboards of this process from each other. Those of two connections with the same name differ, because
/// the connections may be to different brokers.
package struct PasteboardIdentity: Hashable, Sendable {
    private let name: Pasteboard.Name
    private let connection: ObjectIdentifier

    package init(_ pasteboard: Pasteboard) {
        name = pasteboard.name
        connection = ObjectIdentifier(pasteboard.connection)
    }
}
