import TestSupport
import Testing

@testable import TerminalTable

@Suite("Drawing", .inProcess)
struct FrameTests {
    private static let texts = [
        "Yosemite", "東京", "👩‍👩‍👧‍👦 family", "🏳️‍🌈", "e\u{301}clair", "🇩🇪 Harz", "\u{1B}[2J", "한국 서울", "ab", "", "1️⃣ first", "क्षत्रिय",
        "a name that is longer than any screen of these, with 東京 and 🚀 in it",
    ]

    private func frame(_ generator: inout SeededGenerator, _ size: ScreenSize) -> Frame {
        var screen = TableScreen(title: Self.texts.randomElement(using: &generator) ?? "")
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let text = Self.texts.randomElement(using: &generator) ?? ""
            switch Int.random(in: 0...3, using: &generator) {
            case 0: screen.rows.append(.lifted(text))
            case 1: screen.rows.append(.placeholder(text, fraction: Double.random(in: 0...1, using: &generator)))
            default: screen.rows.append(.plain(text))
            }
        }
        screen.cursor = Int.random(in: 0...6, using: &generator)
        if Bool.random(using: &generator) {
            screen.mark = .init(.gap(before: Int.random(in: 0...6, using: &generator)), "copy")
        }
        if Bool.random(using: &generator) {
            let text = Self.texts.randomElement(using: &generator) ?? ""
            screen.session = .init(text, to: "east, row 1", operation: "copy")
        }
        screen.message = Self.texts.randomElement(using: &generator) ?? ""
        return screen.frame(size)
    }

    /// Widths of scalars in different terminals: some join scalars, others draw each one.
    private static let terminals: [(String, @Sendable (Unicode.Scalar) -> Int)] = [
        (
            "modern",
            {
                $0.properties.generalCategory.joins
                    ? 0 : WideScalars.contains($0) || $0.properties.isEmojiPresentation ? 2 : 1
            }
        ),
        ("narrow emoji", { $0.properties.generalCategory.joins ? 0 : WideScalars.contains($0) ? 2 : 1 }),
    ]

    @Test(
        "drawing only the changes has the same result as drawing all, at any glyph width",
        arguments: [0, 1],
        Seeds.fixed(1)
    )
    func changes(terminal: Int, seed: UInt64) {
        let width = Self.terminals[terminal].1
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let size = ScreenSize(
                columns: Int.random(in: 1...50, using: &generator),
                rows: Int.random(in: 1...9, using: &generator)
            )
            var shown: Frame?
            var screen = EmulatedScreen(columns: size.columns, rows: size.rows, width: width)
            screen.receive("\u{1B}[?1049h\u{1B}[?7l".utf8)
            for _ in 0..<12 {
                let next = frame(&generator, size)
                screen.receive(next.bytes(from: shown))
                shown = next
                var fresh = EmulatedScreen(columns: size.columns, rows: size.rows, width: width)
                fresh.receive("\u{1B}[?1049h\u{1B}[?7l".utf8)
                fresh.receive(next.bytes(from: nil))
                #expect(screen.lines == fresh.lines)
                #expect(screen.unknown.isEmpty, "\(screen.unknown)")
            }
        }
    }

    @Test("a glyph that a terminal draws wider or narrower does not move its neighbours")
    func columnsHold() {
        var screen = TableScreen(title: "west")
        screen.rows = [.placeholder("👩‍👩‍👧‍👦👩‍👩‍👧‍👦🇩🇪", fraction: 1), .placeholder("plain!", fraction: 1)]
        for (_, width) in Self.terminals {
            var terminal = EmulatedScreen(columns: 40, rows: 8, width: width)
            terminal.receive("\u{1B}[?1049h\u{1B}[?7l".utf8)
            terminal.receive(screen.frame(ScreenSize(columns: 40, rows: 8)).bytes(from: nil))
            let bars = (1...2).map { row in (0..<40).first { terminal.glyph(row: row, column: $0) == "█" } }
            #expect(bars[0] == bars[1])
            #expect(bars[0] == 12)
        }
    }

    @Test("unchanged cells are not sent")
    func minimal() {
        var screen = TableScreen(title: "west")
        screen.rows = [.plain("Yosemite"), .plain("Sequoia")]
        let size = ScreenSize(columns: 80, rows: 24)
        let before = screen.frame(size)
        #expect(before.bytes(from: before).isEmpty)
        screen.rows[1] = .plain("Sequoya")
        let bytes = screen.frame(size).bytes(from: before)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[3;11H\u{1B}[0my\u{1B}[0m")
    }

    @Test("without colours the text is the same, and no colour is sent")
    func noColors() {
        var screen = TableScreen(title: "west")
        screen.session = .init("Yosemite", to: "east", operation: "copy")
        let frame = screen.frame(ScreenSize(columns: 40, rows: 8))
        let plain = String(decoding: frame.bytes(from: nil, hasColors: false), as: UTF8.self)
        let colored = String(decoding: frame.bytes(from: nil), as: UTF8.self)
        #expect(colored.contains(";36m"))
        #expect(plain == colored.replacing(";36m", with: "m"))
    }

    @Test("a change of size redraws everything")
    func resized() {
        let screen = TableScreen(title: "west")
        let before = screen.frame(ScreenSize(columns: 80, rows: 24))
        let after = screen.frame(ScreenSize(columns: 79, rows: 24))
        #expect(String(decoding: after.bytes(from: before), as: UTF8.self).contains("\u{1B}[2J"))
    }
}

extension Unicode.GeneralCategory {
    fileprivate var joins: Bool { [.nonspacingMark, .enclosingMark, .format].contains(self) }
}
