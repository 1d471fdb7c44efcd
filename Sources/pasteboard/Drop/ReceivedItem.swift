import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One item of a drop on its way into a file.
final class ReceivedItem {
    /// From 0.
    let place: UInt32
    private(set) var byteCount: UInt64 = 0
    /// As far as the source has said it.
    private(set) var total: UInt64?
    private(set) var type = UniformType.data
    private let sink: DirectoryOutput

    init(_ place: UInt32, sink: DirectoryOutput) {
        self.place = place
        self.sink = sink
    }

    /// How far its file has been written, while it is.
    var writtenCount: UInt64 {
        self.sink.descriptor.flatMap { try? System.position(of: $0) } ?? self.byteCount
    }

    /// What it is said to be; only then there is a file.
    ///
    /// - Parameter items: those of the session, with what their source says of them.
    func begin(_ answer: Answer, of items: [Item]) throws {
        let listed = items.representation(of: answer)
        self.type = UniformType(
            identifier: answer.type ?? UniformType.data.identifier,
            supertypes: listed?.supertypes ?? []
        )
        self.total = answer.byteCount
        try self.sink.begin(
            self.type,
            isArchive: answer.isArchive,
            suggestedName: answer.suggestedName,
            file: listed?.file
        )
    }

    func write(_ bytes: Span<UInt8>) throws {
        try self.sink.write(bytes)
        self.byteCount += UInt64(bytes.count)
    }

    /// - Parameter check: called now and then; what it throws ends the copy.
    func write(_ file: PassedFile, check: () throws -> Void) throws {
        try self.sink.write(file, trimsNewline: false, check: check)
        self.byteCount = file.byteCount
    }

    /// All bytes have come: the file gets its name, which is told.
    func finish() throws {
        try self.sink.finish()
    }
}
