import PasteboardKit
import TestSupport
import Testing

/// A program with the library that makes room for its contents.
@Suite(.processes) struct LibraryCommandLineTests {
    @Test("A program learns which contents of ended ones made room for its own, and may forbid it")
    func makingRoom() async throws {
        let desk = try Desk(.socket, limits: "boards = 1\n")
        try desk.copy("x", "--board", "left")
        let connection = PasteboardConnection(socketPath: desk.directory["socket"], startsBroker: false)
        let board = Pasteboard(name: "new", connection: connection)
        let error = await #expect(throws: PasteboardError.self) {
            try await board.write("text", options: .init(evictsOthers: false))
        }
        #expect(error?.code == .noSpace)
        #expect(try desk.run("paste", "--board", "left").text == "x")
        #expect(try await board.write("text").clearedPasteboards == ["left"])
        await connection.close()
    }
}
