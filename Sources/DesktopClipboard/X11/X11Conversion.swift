import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Bytes of a program that has a selection: in one property if they are few, otherwise part by part, each after the one
/// before was taken.
struct X11Conversion {
    /// The name of the selection.
    let selection: String
    /// The window that has the selection, and the time since when.
    let owner: UInt32
    let time: UInt32
    let connection: X11Connection
    /// Throws if the selection has another owner now.
    let check: () throws -> Void

    /// Asks for the bytes of a name, and passes them to a sink.
    ///
    /// - Parameter milliseconds: the time in which the program has to answer, and to give each further part.
    func run(_ name: String, within milliseconds: Int, _ sink: ByteSink) async throws {
        let (atom, target) = (try await connection.atom(selection), try await connection.atom(name))
        let (property, incremental) = (try await connection.atom("_PASTEBOARD"), try await connection.atom("INCR"))
        try await connection.withWindow { window, box in
            func next() async throws -> X11WindowEvent {
                let end = MonotonicClock.deadline(milliseconds: milliseconds)
                guard let event = await box.next(until: end) else {
                    try Task.checkCancellation()
                    throw Failure(.timeout, "the program of the desktop does not answer")
                }
                if case .destroyed = event { throw Failure(.sourceGone, "the program of the desktop has ended") }
                return event
            }
            connection.watch(owner, box, isOwner: true)
            defer { connection.forget(owner, box) }
            connection.send(X11Request.watch(owner))
            connection.convert(atom, to: target, into: property, of: window, at: time)
            while true {
                guard case .converted(let result) = try await next() else { continue }
                guard result == property else {
                    throw Failure(.typeUnavailable, "the program of the desktop has refused \(name)")
                }
                // Many programs answer requests whose time is before their own.
                try check()
                break
            }
            guard try await connection.property(property, of: window).type == incremental else {
                _ = try await connection.takeProperty(property, of: window, sink)
                return
            }
            connection.send(X11Request.deleteProperty(property, of: window))
            while true {
                guard case .propertyChanged(property, isDeleted: false, _) = try await next() else { continue }
                // An event about the announcement finds no property any more.
                let part = try await connection.property(property, of: window)
                guard part.type != 0, part.type != incremental else { continue }
                if try await connection.takeProperty(property, of: window, sink) == 0 { return }
            }
        }
    }
}
