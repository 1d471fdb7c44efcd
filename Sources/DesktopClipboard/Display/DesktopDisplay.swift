import PasteboardTransport
import PasteboardWire

/// A selection of a desktop session.
package enum Selection: String, CaseIterable, Sendable {
    case clipboard
    case primary

    /// The board with which it is synchronized.
    package var board: String { self == .clipboard ? BoardName.general : "primary" }
}

/// Takes the next bytes of a transfer, as fast as its receiver does.
package typealias ByteSink = @Sendable ([UInt8]) async throws -> Void

/// Takes the number of all bytes of a transfer.
package typealias ByteCount = @Sendable (UInt64) -> Void

/// The contents of a selection, of another program or of the bridge: names of types, whose bytes are made when somebody
/// pastes.
package struct DesktopContents: Sendable {
    /// The names as programs of the desktop write them: MIME types, or atoms of X11.
    package let names: [String]
    /// Tells contents of a display apart; 0 for those of the bridge.
    package let serial: UInt64
    /// The time at which their program has taken the selection (see `MonotonicClock`).
    let time: UInt64
    private let make: @Sendable (_ name: String, _ expect: @escaping ByteCount, @escaping ByteSink) async throws -> Void

    package init(
        _ names: [String],
        serial: UInt64 = 0,
        at time: UInt64? = nil,
        make:
            @escaping @Sendable (_ name: String, _ expect: @escaping ByteCount, @escaping ByteSink) async throws -> Void
    ) {
        (self.names, self.serial, self.time, self.make) = (names, serial, time ?? MonotonicClock.now(), make)
    }

    /// Passes the bytes of a name to a sink, and returns after the last ones.
    ///
    /// - Parameter expect: called before the first bytes if their number is known.
    func transfer(
        _ name: String,
        expect: @escaping ByteCount = { _ in },
        _ sink: @escaping ByteSink
    ) async throws {
        try await make(name, expect, sink)
    }
}

/// A change of a selection, or a request of a program about its contents.
package enum DesktopEvent: Sendable {
    /// A selection has other contents.
    case changed(Selection, DesktopContents)
    /// A selection has none: it was cleared, or its program has ended. Wayland does not distinguish that: nil.
    case emptied(Selection, isCleared: Bool?)
    /// A program that is about to end wants its contents kept; `answer` tells it whether they are.
    case saving(Selection, answer: @Sendable (Bool) async -> Void)
}

/// A connection to a display server, by its clipboard protocol.
package protocol DesktopDisplay: Sendable {
    /// The events of all selections, the present contents first.
    var events: Mailbox<DesktopEvent> { get }
    /// The number of the display, which each bridge of it finds; known before the first event.
    var number: UInt64 { get }
    /// The user who runs the server; nil if no other user can start a server at this address, or it is forwarded.
    var user: UInt32? { get }

    /// Serves the connection until it ends.
    ///
    /// - Throws: the reason.
    func run() async throws

    /// The serial number of the contents of a selection; 0 for those of the bridge, nil if it has none. An event with
    /// another one is out of date.
    func serial(of selection: Selection) -> UInt64?

    /// Becomes the owner of a selection. Causes no event, unless another program was faster.
    ///
    /// - Parameter serial: that of the contents before.
    /// - Returns: false if it is known that others have changed the selection meanwhile. There is an event of that.
    func show(_ contents: DesktopContents, on selection: Selection, after serial: UInt64?) async throws -> Bool

    /// Ends what the bridge shows on a selection. Causes no event, unless another program has the selection.
    ///
    /// - Parameter isForAll: whether contents of other programs end, too, as if a user had cleared the selection.
    func clear(_ selection: Selection, isForAll: Bool) async throws
}

/// Times for programs of the desktop.
enum DesktopTime {
    /// The time in which a program has to take or send the next bytes, in milliseconds.
    static let stall = 30_000
    /// The time for a short answer of a server or the broker, in milliseconds.
    static let answer = 5_000
    /// The time in which a program has to list its types, and in which a list of files has to be read and its files
    /// opened, in milliseconds.
    static let list = 1_000
    /// The number of transfers to programs of the desktop that run at once; further ones are refused.
    static let transfers = 64
}

extension DesktopEvent {
    /// The selection that has changed; nil for other events.
    var selection: Selection? {
        switch self {
        case .changed(let selection, _), .emptied(let selection, _): selection
        case .saving: nil
        }
    }
}

/// The names of contents: the first ones of an endless list, and later ones that are a bridge mark, or the hint of a
/// password manager.
struct NameList {
    private static let most = 512
    /// The number of later ones.
    private static let mostSigns = 16

    private(set) var names: [String] = []
    private var signs = 0

    mutating func append(_ name: String) {
        guard names.count >= Self.most else { return names.append(name) }
        let isSign = BridgeMark.isMark(name) || ContentTerms.terms(nil, withHintsIn: [name]) != nil
        guard isSign, signs < Self.mostSigns else { return }
        signs += 1
        names.append(name)
    }
}
