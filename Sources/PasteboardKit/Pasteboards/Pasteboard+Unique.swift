import PasteboardClient
import PasteboardWire

extension Pasteboard {
    /// Makes an empty pasteboard with a name that no other pasteboard has, for a transfer between programs that know
    /// the name.
    ///
    /// The pasteboard exists as long as its maker refers to it: as long as there is a copy of the returned value or a
    /// publication that was written with it, and until ``release(timeout:)``, the end of the connection or of the
    /// process. Then the broker clears and removes it. A value that another program makes from the
    /// name does not extend that. After the end, calls of the returned value fail, and never use a later pasteboard of
    /// the same name.
    ///
    /// - Parameters:
    ///   - connection: the connection to the broker.
    ///   - timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: `limit-exceeded` if the program has too many pasteboards; the error of the broker or the connection;
    ///   `timeout`; `cancelled` if the task is cancelled.
    public static func unique(
        connection: PasteboardConnection = .shared,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Pasteboard {
        let call = Call("the making of a pasteboard", timeout: timeout)
        let live = try await connection.liveConnection(for: call)
        do throws(RequestFailure) {
            let board = try await UniqueBoard(over: live, for: call)
            return Pasteboard(name: Name(board.name), connection: connection, board: board)
        } catch {
            throw call.error(of: error)
        }
    }

    /// Clears the pasteboard and removes it: it is listed no more, and its name is free.
    ///
    /// Any program may release a pasteboard, as with `releaseGlobally()` of NSPasteboard. The pasteboards
    /// ``Name/general``, ``Name/find``, ``Name/primary`` and ``Name/drag`` cannot be released.
    ///
    /// - Parameter timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: `not-permitted` for one of the four; the error of the broker or the connection; `timeout`; `cancelled`
    ///   if the task is cancelled.
    public func release(timeout: Duration? = nil) async throws(PasteboardError) {
        let call = Call("the release of the pasteboard", timeout: timeout)
        var clear = Clear()
        clear.board = name.rawValue
        clear.removesBoard = true
        clear.requires = [Feature.boards.rawValue]
        _ = try await perform(clear, for: call)
        board?.release()
    }
}
