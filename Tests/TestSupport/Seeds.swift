import PasteboardTransport

/// The seeds of a random test.
package enum Seeds {
    /// The fixed seeds of a test, which the gate uses: those that cover it, and each one that has failed.
    ///
    /// `PASTEBOARD_TEST_SEED=new` adds a new seed for each test, and `new:7` adds seed 7; a number repeats this seed
    /// alone. Use the seeds as the arguments of a test, so that a failure names its seed.
    package static func fixed(_ seeds: UInt64...) -> [UInt64] {
        switch System.environment("PASTEBOARD_TEST_SEED") {
        case nil: seeds
        case "new": seeds + [.random(in: 1...0xFFFF_FFFF)]
        case let text?:
            if let seed = UInt64(text) {
                [seed]
            } else if text.hasPrefix("new:"), let seed = UInt64(text.dropFirst(4)) {
                seeds + [seed]
            } else {
                fatalError("PASTEBOARD_TEST_SEED is '\(text)': use a number, new, or new:NUMBER")
            }
        }
    }
}

/// The extent of a test: `value` in the gate, and `full` in the long checks, which set `PASTEBOARD_TEST_FULL`.
package func thinned<Value>(_ value: Value, full: Value) -> Value {
    System.environment("PASTEBOARD_TEST_FULL") == nil ? value : full
}
