import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// The checks of `doctor`, on facts that are given.
@Suite(.pure) struct ExaminationTests {
    private static let broker: UInt32 = 12

    private static func examination(peer: CInt, name: String?, kept: String? = "/run/user/1/kept") -> Examination {
        var welcome = Welcome()
        welcome.process = broker
        welcome.version = 1
        welcome.programVersion = ProgramVersion.current
        welcome.keptDirectory = kept
        welcome.keptDirectoryRoom = 1 << 20
        var examination = Examination(path: .success(SocketPath("/tmp/pasteboard-no-such-directory/socket")))
        examination.welcome = .success(welcome)
        (examination.peer, examination.peerName) = (peer, name)
        return examination
    }

    @Test(
        "The process at the other end of the socket shows whether the socket is forwarded",
        arguments: [
            (12, "pasteboardd", nil), (11, "systemd", "systemd has the socket"), (0, nil, "in another container"),
            (11, "pasteboard", "in another container"), (11, nil, "in another container"),
            (99, "sshd", "BAD: the socket is forwarded by process 99 (sshd)"),
        ] as [(CInt, String?, String?)]
    )
    func way(peer: CInt, name: String?, text: String?) throws {
        var examination = Self.examination(peer: peer, name: name)
        let finding = examination.findings.first { $0.check == "way" }
        #expect((finding == nil) == (text == nil))
        if let finding, let text {
            #expect((finding.isGood ? finding.text : "BAD: \(finding.text)").contains(text))
        }
        #expect(examination.findings.first { $0.check == "broker" }?.isGood == true)
        guard peer == 99 else { return }
        // A client that notices that descriptors are lost can do without them.
        var welcome = try #require(try examination.welcome.get())
        welcome.features = [Feature.probe.rawValue]
        examination.welcome = .success(welcome)
        #expect(examination.findings.first { $0.check == "way" }?.isGood == true)
    }

    @Test("The directory of what outlives the broker is shown, or that there is none")
    func kept() throws {
        let good = Self.examination(peer: 12, name: nil).findings.first { $0.check == "kept" }
        #expect(good?.isGood == true && good?.text.contains("/run/user/1/kept") == true)
        let bad = Self.examination(peer: 12, name: nil, kept: nil).findings.first { $0.check == "kept" }
        #expect(bad?.isGood == false)
    }

    @Test("A broker of another version is replaced, and one that fails is reported with its advice")
    func broker() throws {
        var examination = Self.examination(peer: 11, name: "pasteboardd")
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
