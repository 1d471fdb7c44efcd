import PasteboardWire
import TestSupport
import Testing

@testable import DesktopClipboard

/// The table of what a bridge does after a change. The display has the number 7, the broker 1, and another broker 2.
@Suite(.pure) struct BridgeRuleTests {
    private static let rules = BridgeRules(display: 7, isRemote: false, keeps: true)
    private static let remote = BridgeRules(display: 7, isRemote: true, keeps: false)
    private static let nothing = BridgeRules.Shared.nothing
    private static let desktop = BridgeRules.Shared.desktop(handle: 5, isWithdrawn: false)
    private static let withdrawn = BridgeRules.Shared.desktop(handle: 5, isWithdrawn: true)
    private static let shown = BridgeRules.Shared.board(handle: 5, isOfferedAgain: false)
    private static let offeredAgain = BridgeRules.Shared.board(handle: 5, isOfferedAgain: true)

    private static func board(_ handle: UInt64?, _ path: [UInt64] = [1], isCleared: Bool = false) -> BridgeRules.Board {
        var board = BridgeRules.Board(isCleared: isCleared, handle: handle, epoch: 1, hasPromises: handle != nil)
        board.origin.path = path
        return board
    }

    private static var kept: BridgeRules.Board { board(6, [7, 1]).with { $0.hasPromises = false } }
    private static var nameless: BridgeRules.Board { board(6).with { $0.hasNames = false } }

    /// One character for each owner of the selection, in the order nobody, bridge, the program whose contents are
    /// shared, another one, a newer one:
    /// - nothing, f forget, a place again, b show the board, e show nothing, o tell about another bridge.
    private static let table: [(String, BridgeRules, BridgeRules.Board, BridgeRules.Shared, String)] = [
        ("The board lost its contents", rules, board(nil), shown, "feff-"),
        ("It lost contents that a manager offers, too", rules, board(nil), offeredAgain, "feff-"),
        ("The board was cleared", rules, board(nil, isCleared: true), shown, "feff-"),
        (
            "Contents that a manager offers, too, were cleared", rules, board(nil, isCleared: true), offeredAgain,
            "fefe-"
        ),
        ("The board was cleared, and nothing is shared", rules, board(nil, isCleared: true), nothing, "ffff-"),
        ("A user cleared what the desktop has", rules, board(nil, isCleared: true), desktop, "ffef-"),
        ("The bridge cleared what the desktop had", rules, board(nil, [7, 1], isCleared: true), desktop, "ffff-"),
        ("A user cleared what had been withdrawn", rules, board(nil, isCleared: true), withdrawn, "ffef-"),
        ("Another bridge withdrew it", rules, board(nil, [7, 2, 1], isCleared: true), withdrawn, "ffaf-"),
        ("The promises were lost", rules, board(nil), withdrawn, "ffaf-"),
        ("The promises have expired", rules, board(nil), desktop, "ffff-"),
        ("The board has what is shown", rules, board(5), shown, "-----"),
        ("The board has what the desktop promised", rules, board(5, [7, 1]), desktop, "-----"),
        ("A program copied", rules, board(6), shown, "bbbb-"),
        ("A program copied after the desktop", rules, board(6), desktop, "bbbb-"),
        ("A link brought other contents", rules, board(6, [2, 1]), nothing, "bbbb-"),
        ("Another bridge promises the same contents here", rules, board(6, [7, 1]), desktop, "booo-"),
        ("Another bridge promises them at another broker", rules, board(6, [7, 2, 1]), desktop, "b----"),
        ("The broker keeps contents of the desktop", rules, kept, nothing, "bbbb-"),
        ("A program copied what the desktop cannot paste", rules, nameless, shown, "eeee-"),
        ("A program copied what another machine must not see", remote, nameless, shown, "feff-"),
    ]

    @Test("Each change of a board has a step for each owner of the selection")
    func board() {
        let owners: [BridgeRules.Owner] = [.nobody, .bridge, .sharedProgram, .otherProgram, .newerProgram]
        for (title, rules, board, shared, row) in Self.table {
            let steps = owners.map { owner -> Character in
                switch rules.boardChanged(to: board, shared, selection: owner) {
                case .nothing: "-"
                case .forget: "f"
                case .placeAgain: "a"
                case .showBoard: "b"
                case .showNothing: "e"
                case .tellOtherBridge: "o"
                }
            }
            #expect(String(steps) == row, "\(title)")
        }
    }

    @Test("A selection that nobody has any more ends what is shared, unless it is kept or offered again")
    func selection() {
        let (clear, end, either) = (true, false, nil as Bool?)
        let table: [(BridgeRules, Bool?, BridgeRules.Shared, BridgeRules.Emptying)] = [
            (Self.rules, end, Self.nothing, .nothing),
            (Self.rules, end, Self.desktop, .endPromises(keeps: true)),
            (Self.rules, either, Self.desktop, .endPromises(keeps: true)),
            (Self.rules, clear, Self.desktop, .endPromises(keeps: false)),
            (Self.remote, end, Self.desktop, .endPromises(keeps: false)),
            (Self.rules, end, Self.shown, .showBoard),
            (Self.rules, either, Self.shown, .clearBoard(handle: 5)),
            (Self.rules, clear, Self.shown, .clearBoard(handle: 5)),
            (Self.rules, end, Self.offeredAgain, .showBoard),
            (Self.rules, either, Self.offeredAgain, .showBoard),
            (Self.rules, clear, Self.offeredAgain, .clearBoard(handle: 5)),
        ]
        for (rules, isCleared, shared, step) in table {
            #expect(
                rules.selectionEmptied(isCleared: isCleared, shared) == step,
                "\(String(describing: isCleared)), \(shared)"
            )
        }
    }

    @Test("Contents that take a selection within 2 s after a paste of a secret are secret for the same time")
    func inherited() {
        let now: UInt64 = 10_000_000_000
        var terms = ContentTerms()
        (terms.isConcealed, terms.isLocalOnly, terms.expiresMilliseconds) = (true, true, 4_000)
        let paste = BoardContents.Paste(terms: terms, listedAt: now - 3_000_000_000, time: now)
        let late = BoardContents.Paste(terms: terms, listedAt: now - 5_000_000_000, time: now)
        var plain = ContentTerms()
        plain.expiresMilliseconds = 4_000
        let none = BoardContents.Paste(terms: plain, listedAt: now, time: now)
        for time in [now - 1, now + 2_000_000_000] { #expect(paste.inheritedTerms(at: time) == nil) }
        #expect(none.inheritedTerms(at: now) == nil)
        #expect(late.inheritedTerms(at: now)?.expiresMilliseconds == 1)
        terms.expiresMilliseconds = 500
        #expect(paste.inheritedTerms(at: now + 500_000_000) == terms)
        let pastes = BoardContents.LastPastes()
        pastes.note(paste)
        pastes.note(none)
        var transient = ContentTerms()
        transient.isTransient = true
        pastes.note(BoardContents.Paste(terms: transient, listedAt: now, time: now))
        terms.isTransient = true
        #expect(pastes.inheritedTerms(at: now + 500_000_000) == terms)
        #expect(pastes.inheritedTerms(at: now + 2_000_000_000) == ContentTerms())
    }

    @Test("A copy of local contents is local, and one of transient contents or of those with few loads transient")
    func inheritedFlags() {
        for flag in [\ContentTerms.isLocalOnly, \.isTransient] {
            var terms = ContentTerms()
            terms[keyPath: flag] = true
            #expect(BoardContents.Paste(terms: terms, listedAt: 5, time: 5).inheritedTerms(at: 6) == terms)
        }
        var once = ContentTerms()
        once.maximumLoads = 1
        let terms = BoardContents.Paste(terms: once, listedAt: 5, time: 5).inheritedTerms(at: 6)
        #expect(terms?.maximumLoads == nil && terms?.isTransient == true)
    }

    @Test("Refused contents are a new copy if this bridge has shown them, and the board has had others for a time")
    func choice() {
        let table: [(path: [UInt64], handle: UInt64?, age: UInt64, isChosen: Bool)] = [
            ([1], 6, 2_001, true), ([1], 6, 2_000, false), ([1], nil, 2_001, true),
            // This bridge has shown contents of an earlier broker, too.
            ([3], 6, 2_001, true),
            // Another bridge shows them.
            ([1, 2], 6, 2_001, false),
        ]
        for (path, handle, age, isChosen) in table {
            var mark = Origin()
            (mark.milliseconds, mark.path) = (10, path)
            let other = Self.board(handle).with { $0.origin.milliseconds = 20 }
            #expect(Self.rules.isChosen(mark, at: other, epochs: [3, 1], age: age) == isChosen, "\(path), \(age)")
            let same = other.with { $0.origin = mark }
            #expect(Self.rules.isChosen(mark, at: same, epochs: [3, 1], age: age) == (isChosen && handle == nil))
        }
    }
}

extension BridgeRules.Board {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
