import PasteboardKit

/// The registered name of a tree of views. The registration lasts until this object is released or the connection is
/// lost.
@MainActor
final class ViewDestination {
    let name: String
    let connection: PasteboardConnection
    private(set) var isServed = true
    /// A task that returns the error that ended the connection; nil if the registration was ended.
    private(set) var end: Task<PasteboardError?, Never>?
    private let registration: DropRegistration

    /// - Throws: `refused` if the name is taken.
    init(
        _ name: String,
        accepting types: [UniformType],
        isOwnProcess: Bool = false,
        allowsSimultaneousSessions: Bool,
        sessions: ViewSessions,
        connection: PasteboardConnection
    ) async throws(PasteboardError) {
        self.name = name
        self.connection = connection
        registration = try await DropRegistration.register(
            name: name,
            accepting: types,
            isOwnProcess: isOwnProcess,
            allowsSimultaneousSessions: allowsSimultaneousSessions,
            connection: connection
        )
        end = Task { [weak self, registration] in
            defer { self?.isServed = false }
            do throws(PasteboardError) {
                if allowsSimultaneousSessions {
                    try await registration.serveSimultaneously(sessions)
                } else {
                    try await registration.serve(sessions)
                }
                return nil
            } catch {
                return error
            }
        }
    }

    deinit {
        registration.unregister()
    }
}
