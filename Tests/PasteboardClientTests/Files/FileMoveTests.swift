import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Copies that replace their originals.
@Suite(.pure)
struct FileMoveTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("complete", to: "original")
        _ = try directory.makeDirectory("desk")
    }

    private func copy() throws -> FileMove.Copy {
        try FileMove.Copy(of: directory["original"], to: SystemString(directory["desk/kept"]))
    }

    @Test("A copy removes the leftover of a killed process, but no directory that is in use")
    func leftovers() throws {
        let left = "desk/\(SafeFileName.workingPrefix)0123456789abcdef"
        let used = "\(SafeFileName.workingPrefix)fedcba9876543210"
        _ = try directory.makeDirectory(left)
        try directory.write("half", to: "\(left)/copy")
        let lock = DescriptorBox(try System.open(try directory.makeDirectory("desk/\(used)"), .directory))
        #expect(try System.lock(lock.raw))
        do {
            let copy = try self.copy()
            try copy.wait()
            #expect(try copy.keep())
        }
        #expect(directory.names(in: "desk") == [used, "kept"])
        #expect(try directory.contents(of: "desk/kept") == Array("complete".utf8))
        #expect(try System.status(at: directory["original"]) == nil)
        withExtendedLifetime(lock) {}
    }

    @Test("An original that is longer than its copy is not removed")
    func lengths() throws {
        do {
            let copy = try self.copy()
            try copy.wait()
            let file = try System.open(directory["original"], .appending)
            try System.write(Array(" now".utf8).span, to: file.raw)
            let failure = #expect(throws: Failure.self) { _ = try copy.keep() }
            #expect(failure?.text == "the copy has 8 bytes and the original 12; the original was not removed")
        }
        #expect(directory.names(in: "desk").isEmpty)
        #expect(try directory.contents(of: "original") == Array("complete now".utf8))
    }

    @Test("A copy fails if the exit status of its program is lost")
    func lostStatus() throws {
        do {
            let copy = try self.copy()
            // The child is reaped here, as if this process ignored SIGCHLD.
            _ = try copy.program.child.wait()
            let failure = #expect(throws: Failure.self) { try copy.wait() }
            #expect(failure?.text.hasPrefix("the result of cp is not known, because ") == true)
        }
        #expect(directory.names(in: "desk").isEmpty)
        #expect(try directory.contents(of: "original") == Array("complete".utf8))
    }

    @Test("A program that cannot be run is named without its directory, because another process may read the error")
    func unstartable() {
        let configuration = ChildProcess.Configuration(path: directory["missing"])
        let failure = #expect(throws: Failure.self) { try SystemProgram("tar", configuration) }
        #expect(failure?.text == "cannot run tar: start missing: No such file or directory")
    }

    @Test("By default a program whose exit status is lost has failed if it printed a message")
    func messages() throws {
        let silent = try SystemProgram("true", [])
        _ = try silent.child.wait()
        try silent.wait()
        let talking = try SystemProgram("cat", ["--", directory["missing"]])
        _ = try talking.child.wait()
        let failure = #expect(throws: Failure.self) { try talking.wait() }
        #expect(failure?.text.hasSuffix("No such file or directory") == true)
    }
}
