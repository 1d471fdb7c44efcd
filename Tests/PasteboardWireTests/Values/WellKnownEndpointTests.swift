import PasteboardWire
import TestSupport
import Testing

@Suite("WellKnownEndpoint", .pure)
struct WellKnownEndpointTests {
    private static let runtime = WellKnownEndpoint.Candidate.ifUsable(
        base: "/run/user/1000",
        path: "/run/user/1000/pasteboard/socket"
    )

    @Test(
        "The socket paths are tried in this order",
        .tags(.f72),
        arguments: [
            (["PASTEBOARD_SOCKET": "/a/b", "XDG_RUNTIME_DIR": "/r", "HOME": "/h"], [.named("/a/b")]),
            (
                ["XDG_RUNTIME_DIR": "/r", "HOME": "/h"],
                [
                    .ifOwn(base: "/r", path: "/r/pasteboard/socket"), runtime,
                    .ofThisBoot(base: "/h/.local/state/pasteboard"),
                ]
            ),
            (["XDG_STATE_HOME": "/s", "HOME": "/h"], [runtime, .ofThisBoot(base: "/s/pasteboard")]),
            (["HOME": "/h"], [runtime, .ofThisBoot(base: "/h/.local/state/pasteboard")]),
            (["XDG_STATE_HOME": "s", "HOME": "/h"], [runtime, .ofThisBoot(base: "/h/.local/state/pasteboard")]),
            (["HOME": "h"], [runtime]),
            ([:], [runtime]),
            (
                ["PASTEBOARD_SOCKET": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "HOME": "/h"],
                [runtime, .ofThisBoot(base: "/h/.local/state/pasteboard")]
            ),
        ] as [([String: String], [WellKnownEndpoint.Candidate])]
    )
    func candidates(environment: [String: String], candidates: [WellKnownEndpoint.Candidate]) throws {
        let endpoint = try WellKnownEndpoint(environment: { environment[$0] }, userID: 1000)
        #expect(endpoint.candidates == candidates)
    }

    @Test(
        "A relative path fails with the name of the variable",
        .tags(.f72),
        arguments: ["PASTEBOARD_SOCKET", "XDG_RUNTIME_DIR"]
    )
    func relative(variable: String) {
        let failure = #expect(throws: Failure.self) {
            try WellKnownEndpoint(environment: { $0 == variable ? "a/b" : nil }, userID: 1)
        }
        #expect(failure?.code == .brokerUnavailable)
        #expect(failure?.text.contains(variable) == true)
        #expect(failure?.text.contains("a/b") == true)
    }
}
