import BrokerModel

/// Reads an input as a walk: its theme, the variant of the theme, and the actions of the peers. When all peers are gone
/// and all boards are cleared, nothing may be charged to anybody.
struct BrokerScript {
    private let choices: Choices
    private var walker: Walker

    init(_ bytes: [UInt8]) {
        choices = Choices(bytes)
        // In the order that the stored inputs have.
        let themes: [Walker.Theme] = [.frames, .boards, .frames, .restarts, .everything]
        let theme = themes[choices.choice(themes.count)]
        walker = Walker(theme, choices, form: choices.byte(), reportingTo: { fault($0) })
    }

    mutating func run() {
        // The invariants cost more than an action.
        var steps = 0
        while !choices.isEmpty {
            let action = walker.step()
            steps += 1
            if steps % 8 == 0 { check(after: action) }
        }
        check(after: "the last action")
        let broken = walker.finish()
        if !broken.isEmpty { fault("at the end: \(broken)") }
    }

    private func check(after action: String) {
        let broken = walker.brokenRules()
        if !broken.isEmpty { fault("after \(action): \(broken)") }
    }
}
