import PasteboardTransport
package import Testing

/// A sanitizer, which needs memory, files and a thread of its own, and keeps freed memory for a while.
package enum Sanitizer {
    package static var isActive: Bool { System.environment("PASTEBOARD_TEST_SANITIZED") != nil }

    /// The environment of a program that a test runs: the test's variables, and the settings of the sanitizer.
    package static func environment(with variables: [String: String]) -> [String] {
        let settings = System.environment("ASAN_OPTIONS").map { ["ASAN_OPTIONS": $0] } ?? [:]
        return variables.merging(settings) { own, _ in own }.map { "\($0)=\($1)" }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that limits or searches the memory of a program, which has much more with a sanitizer, or that
    /// takes away `/proc`, from which the sanitizer reads its settings.
    package static var unsanitized: Self {
        .enabled(if: !Sanitizer.isActive, "a sanitizer needs memory and /proc")
    }
}
