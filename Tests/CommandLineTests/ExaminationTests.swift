import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// The checks of `doctor`, on facts that are given.
@Suite(.pure) struct ExaminationTests {
    private static let broker: UInt32 = 12

    private static func examination(peer: CInt, name: String?, parent: CInt?) -> Examination {
        var welcome = Welcome()
        welcome.process = broker
        welcome.version = 1
        welcome.programVersion = ProgramVersion.current
        var examination = Examination(path: .success(SocketPath("/tmp/pasteboard-no-such-directory/socket")))
        examination.welcome = .success(welcome)
        (examination.peer, examination.peerName, examination.parent) = (peer, name, parent)
        return examination
    }

    @Test(
        "The process at the other end of the socket shows the keeper, and whether the socket is forwarded",
        arguments: [
            (11, "pasteboardd", 11, "process 11"), (11, "systemd", 11, "process 11"), (12, "pasteboardd", 1, "none"),
            (0, nil, nil, "in another container"), (11, "pasteboard", 1, "in another container"),
            (11, nil, 1, "BAD: process 11, "), (99, "sshd", 11, "BAD: the socket is forwarded by process 99 (sshd)"),
            (99, "socat", nil, "BAD: the socket is forwarded by process 99 (socat)"),
        ] as [(CInt, String?, CInt?, String)]
    )
    func keeper(peer: CInt, name: String?, parent: CInt?, text: String) throws {
        var examination = Self.examination(peer: peer, name: name, parent: parent)
        let finding = try #require(examination.findings.first { $0.check == "keeper" })
        #expect((finding.isGood ? finding.text : "BAD: \(finding.text)").contains(text))
        #expect(examination.findings.first { $0.check == "broker" }?.isGood == true)
        guard peer == 99 else { return }
        // A client that notices that descriptors are lost can do without them.
        var welcome = try #require(try examination.welcome.get())
        welcome.features = [Feature.probe.rawValue]
        examination.welcome = .success(welcome)
        #expect(examination.findings.first { $0.check == "keeper" }?.isGood == true)
    }

    @Test("A broker of another version is replaced, and one that fails is reported with its advice")
    func broker() throws {
        var examination = Self.examination(peer: 11, name: "pasteboardd", parent: 11)
        var welcome = try #require(try examination.welcome.get())
        welcome.programVersion = "99.0"
        examination.welcome = .success(welcome)
        var finding = try #require(examination.findings.first { $0.check == "broker" })
        #expect(finding.text.contains("99.0") && finding.advice?.contains("broker --replace") == true)
        examination.welcome = .failure(Failure(.notPermitted, "the reason; the advice; see pasteboard doctor"))
        finding = try #require(examination.findings.first { $0.check == "broker" })
        #expect(finding.text == "the reason" && finding.advice == "the advice")
        examination.welcome = .failure(Failure(.protocolViolation, "the reason; see pasteboard doctor"))
        finding = try #require(examination.findings.first { $0.check == "broker" })
        #expect(finding.text == "the reason" && finding.advice?.contains("pasteboard stop") == true)
    }

    @Test("Without a path for the socket, only that is reported about the broker")
    func noPath() {
        let examination = Examination(path: .failure(Failure(.brokerUnavailable, "no path; set HOME")))
        let bad = examination.findings.filter { !$0.isGood }
        #expect(bad.count == 1 && bad.first?.check == "directory" && bad.first?.advice == "set HOME")
    }
}
