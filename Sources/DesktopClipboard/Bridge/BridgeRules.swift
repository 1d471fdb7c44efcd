import PasteboardWire

/// The steps of a bridge after a change of a selection or its board.
struct BridgeRules: Sendable {
    /// The contents that both sides have.
    enum Shared: Equatable, Sendable {
        case nothing
        /// The contents of a program of the desktop, which the board promises.
        ///
        /// - handle: their publication, at the present broker.
        /// - isWithdrawn: whether others have ended the promises before their time.
        case desktop(handle: UInt64?, isWithdrawn: Bool)
        /// The contents of the board, which the selection offers.
        ///
        /// - isOfferedAgain: whether another program, such as a clipboard manager, has the selection now.
        case board(handle: UInt64, isOfferedAgain: Bool)
    }

    /// The owner of the selection.
    enum Owner: Sendable {
        case nobody
        case bridge
        /// The program whose contents are shared.
        case sharedProgram
        case otherProgram
        /// A program that has taken it since the board has changed. That event is still to come, and wins.
        case newerProgram
    }

    /// The state of a board after a change.
    struct Board: Sendable {
        /// Whether somebody has cleared it.
        var isCleared = false
        /// The publication; nil if it has none.
        var handle: UInt64?
        /// The number of its broker.
        var epoch: UInt64 = 0
        var origin = Origin()
        var hasPromises = false
        /// Whether a program of the desktop could paste anything.
        var hasNames = true
    }

    /// The step after a selection has lost its owner.
    enum Emptying: Equatable, Sendable {
        case nothing
        case showBoard
        case clearBoard(handle: UInt64)
        /// Ends the promises, or leaves what the broker keeps of them.
        case endPromises(keeps: Bool)
    }

    /// The step after a change of the board.
    enum Showing: Equatable, Sendable {
        case nothing
        /// The sides no longer have the same contents, and each keeps its own.
        case forget
        /// Promises the contents of the program once more.
        case placeAgain
        case showBoard
        case showNothing
        /// Tells the user about another bridge between this display and this broker.
        case tellOtherBridge
    }

    /// The time in which a change of the board and one of the selection may have crossed, in milliseconds. Contents
    /// that are offered again later were chosen, for example in a history.
    private static let crossing: UInt64 = 2_000

    /// The number of the display.
    let display: UInt64
    /// Whether programs on other machines use it.
    let isRemote: Bool
    /// Whether contents of programs that end are kept.
    let keeps: Bool

    /// The origin with which contents of a program are promised on the board; nil if they have come too far.
    ///
    /// - Parameter mark: their mark, if they have one.
    func origin(of mark: Origin?) -> Origin? { mark.map { $0.passing(display) } ?? Origin(of: display) }

    /// Whether contents that the broker has refused, because they have been there or are not newer than what it has,
    /// are a new copy. Otherwise another bridge shows them, or a clipboard manager has stored them.
    ///
    /// - Parameters:
    ///   - epochs: the brokers whose contents this bridge has shown.
    ///   - age: the time since the last change of the board, in milliseconds.
    func isChosen(_ mark: Origin, at board: Board, epochs: [UInt64], age: UInt64) -> Bool {
        // Only a manager can have what this bridge has shown.
        guard let last = mark.path.last, epochs.contains(last), age > Self.crossing else { return false }
        return board.handle == nil || !mark.isSame(as: board.origin)
    }

    /// - Parameter isCleared: nil if that is not known.
    func selectionEmptied(isCleared: Bool?, _ shared: Shared) -> Emptying {
        switch (shared, isCleared) {
        case (.nothing, _): .nothing
        case (.desktop, _): .endPromises(keeps: keeps && isCleared != true)
        // A program had the selection, and has ended.
        case (.board, false), (.board(_, isOfferedAgain: true), nil): .showBoard
        case (.board(let handle, _), _): .clearBoard(handle: handle)
        }
    }

    func boardChanged(to board: Board, _ shared: Shared, selection: Owner) -> Showing {
        let isOfDisplay = board.origin.path.contains(display)
        switch (shared, selection, board.handle) {
        case (_, .newerProgram, _): return .nothing
        // Another bridge of this display has withdrawn the promises, but the program still has the contents.
        case (.desktop(_, isWithdrawn: true), .sharedProgram, nil) where isOfDisplay || !board.isCleared:
            return .placeAgain
        // A user has cleared what a program has. What a program has taken meanwhile is newer.
        case (.desktop, .sharedProgram, nil) where board.isCleared && !isOfDisplay: return .showNothing
        case (.board(_, isOfferedAgain: true), .otherProgram, nil) where board.isCleared: return .showNothing
        case (.board, .bridge, nil): return .showNothing
        case (_, _, nil): return .forget
        case (.desktop(let shared?, _), _, let handle?) where shared == handle: return .nothing
        case (.board(let shared, _), _, let handle?) where shared == handle: return .nothing
        // The display has them already: one of its programs promises them through another bridge.
        case _ where isOfDisplay && board.hasPromises && selection != .nobody:
            return board.origin.path == [display, board.epoch] ? .tellOtherBridge : .nothing
        // They also end those before them, but not what the other machine shows on its own display.
        case _ where !board.hasNames: return isRemote && selection != .bridge ? .forget : .showNothing
        default: return .showBoard
        }
    }
}
