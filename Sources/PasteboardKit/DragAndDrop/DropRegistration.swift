/// A name that this process has at the broker, and the sessions that come to it.
package final class DropRegistration: Sendable {
    /// Registers a name; sessions come once somebody runs ``serve()``.
    ///
    /// - Parameters:
    ///   - types: what it takes.
    ///   - isOwnProcess: whether it is there for sessions of this process alone.
    ///   - allowsSimultaneousSessions: whether a second session may come before the first has ended.
    /// - Throws: `refused` if the name is taken.
    package static func register(
        name: String,
        accepting types: [UniformType],
        isOwnProcess: Bool = false,
        allowsSimultaneousSessions: Bool = false,
        receiver: any DropReceiver,
        connection: PasteboardConnection
    ) async throws(PasteboardError) -> DropRegistration {
        DropRegistration()
    }

    /// Calls the receiver, on the caller's actor, until the name is given up or the task is cancelled; then it is given up.
    ///
    /// - Throws: what has ended the connection.
    package func serve() async throws(PasteboardError) {
    }

    /// Gives the name up; its sessions are over. The receiver hears of that before ``serve()`` returns.
    package func unregister() {
    }
}
