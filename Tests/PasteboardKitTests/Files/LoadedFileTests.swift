import Foundation
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess) struct LoadedFileTests {
    @Test("A loaded file is found at the path of its URL, although its name is not text")
    func nameThatIsNotText() throws {
        let temporary = try TemporaryDirectory(in: nil)
        let name = SystemString(Array("caf".utf8) + [0xE9] + Array(".txt".utf8))
        let file = try LoadedFile(name, nil, in: temporary)
        try file.append(Data("bytes".utf8))
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "bytes")
    }

    @Test("An error that a handler passes on names no directory of its process")
    func passedOn() {
        let missing = URL(filePath: "/a missing directory/inside")
        let error = #expect(throws: PasteboardError.self) { try PasteboardKit.TemporaryDirectory(in: missing) }
        #expect(error?.message.contains("/a missing directory/inside") == true)
        let passedOn = error.map { PasteboardError.SourceError($0).message }
        #expect(passedOn?.contains("/") == false && passedOn?.contains("No such file") == true)
    }
}
