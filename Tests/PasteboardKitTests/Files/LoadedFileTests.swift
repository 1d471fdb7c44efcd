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
}
