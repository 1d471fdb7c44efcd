import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One item of a drop on its way into a file.
final class ReceivedItem {
    /// The index of the item, from 0.
    let index: UInt32
    var load = LoadOperation(expecting: nil)
    private(set) var byteCount: UInt64 = 0
    private(set) var type = UniformType.data
    private(set) var name: String?
    private let sink: DirectoryOutput

    init(_ index: UInt32, sink: DirectoryOutput) {
        self.index = index
        self.sink = sink
    }

    /// The number of bytes written to the file.
    var writtenCount: UInt64 {
        sink.descriptor.flatMap { try? System.position(of: $0) } ?? byteCount
    }

    /// Creates the file when the load is answered.
    ///
    /// - Parameter items: the items of the session, as their source listed them.
    func begin(_ answer: Answer, of items: [Item]) throws {
        let listed = items.representation(of: answer)
        type = UniformType(
            identifier: answer.type ?? UniformType.data.identifier,
            supertypes: listed?.supertypes ?? []
        )
        name = answer.suggestedName ?? listed?.file?.name.map { SystemString($0).description }
        try sink.begin(
            type,
            isArchive: answer.isArchive,
            suggestedName: answer.suggestedName,
            file: listed?.file
        )
    }

    func write(_ bytes: Span<UInt8>) throws {
        try sink.write(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// - Parameter check: called repeatedly; an error that it throws ends the copy.
    func write(_ file: PassedFile, check: () throws -> Void) throws {
        try sink.write(file, trimsNewline: false, check: check)
        byteCount = file.byteCount
    }

    /// Moves the complete file to its final name, and returns its path.
    func finish() throws -> SystemString? {
        try sink.finish()
    }
}
