import PasteboardTransport
import TestSupport
import Testing

/// Types that only a MIME database knows, between processes with and without one.
@Suite(.processes) struct MimeDatabaseProcessTests {
    /// Makes a desk with its own small database, and without the system's.
    private static func desk() throws -> Desk {
        let desk = try Desk()
        for name in ["data", "data/mime"] { _ = try desk.directory.makeDirectory(name) }
        try desk.directory.write("50:application/x-rhyme:*.rhyme\n", to: "data/mime/globs2")
        try desk.directory.write("application/x-rhyme text/plain\n", to: "data/mime/subclasses")
        desk.environment["XDG_DATA_HOME"] = desk.directory["data"]
        desk.environment["XDG_DATA_DIRS"] = desk.directory["none"]
        try desk.directory.write("roses are red", to: "a.rhyme")
        return desk
    }

    @Test("A file or MIME type can be loaded as any supertype in the database, with or without one")
    func conformance() throws {
        let desk = try Self.desk()
        #expect(try desk.run("copy", "a.rhyme").exitCode == 0)
        let types = try desk.run("types", "--json").text
        #expect(types.contains("\"public.plain-text\""))
        #expect(try desk.run("paste", "-t", "text").text == "roses are red")
        #expect(try desk.run("copy", "-t", "application/x-rhyme=a.rhyme").exitCode == 0)
        #expect(try desk.run("paste", "-t", "text").text == "roses are red")
        let offer = try desk.offer(["-t", "application/x-rhyme=cat a.rhyme"])
        #expect(try desk.run("paste", "-t", "text").text == "roses are red")
        desk.environment["XDG_DATA_HOME"] = nil
        #expect(try desk.run("paste", "-t", "text").text == "roses are red")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try offer.finish().exitCode == 0)
    }
}
