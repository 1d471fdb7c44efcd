import PasteboardTransport
package import Testing

/// A sanitizer, which needs memory, files and a thread of its own, and keeps freed memory for a while.
package enum Sanitizer {
    package static var isActive: Bool { System.environment("PASTEBOARD_TEST_SANITIZED") != nil }

    /// The settings that programs of a test have to have, too.
    static var environment: [String: String] {
        System.environment("ASAN_OPTIONS").map { ["ASAN_OPTIONS": $0] } ?? [:]
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that limits or searches the memory of a program, which has much more with a sanitizer.
    package static var unsanitized: Self {
        .enabled(if: !Sanitizer.isActive, "a program with a sanitizer has too much memory")
    }
}
