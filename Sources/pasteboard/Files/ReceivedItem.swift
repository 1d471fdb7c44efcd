import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One item of a paste or of a drop on its way into its sink.
final class ReceivedItem {
    /// The index of the item, from 0.
    let index: UInt32
    /// The number of bytes that were received and written.
    private(set) var byteCount: UInt64 = 0
    private(set) var type = UniformType.data
    private var name: String?
    private let sink: any PasteSink
    private let options: (UniformType) -> TextFilter.Options
    private var filter = TextFilter(TextFilter.Options(), type: nil)

    /// - Parameter options: returns the changes to text of a type.
    init(
        _ index: UInt32,
        to sink: any PasteSink,
        changing options: @escaping (UniformType) -> TextFilter.Options = { _ in TextFilter.Options() }
    ) {
        self.index = index
        self.sink = sink
        self.options = options
    }

    /// Prepares the sink when the load is answered.
    ///
    /// - Parameters:
    ///   - items: the items as they were listed; empty if they were not.
    ///   - recorded: called before the sink, which may refuse the item.
    func begin(_ answer: Answer, of items: [Item], recorded: (UniformType) -> Void = { _ in }) throws {
        let listed = items.representation(of: answer)
        type = UniformType(
            identifier: answer.type ?? UniformType.data.identifier,
            supertypes: listed?.supertypes ?? []
        )
        name = answer.suggestedName ?? listed?.file?.name.map { SystemString($0).description }
        recorded(type)
        let options = options(type)
        try Self.check(type, options)
        filter = TextFilter(options, type: type)
        try sink.begin(
            type,
            isArchive: answer.isArchive,
            suggestedName: answer.suggestedName,
            file: listed?.file
        )
    }

    /// Throws if text of a type cannot be changed as requested.
    static func check(_ type: UniformType, _ options: TextFilter.Options) throws(Failure) {
        guard options.convertsToUTF8, !TextReader.reads(type) else { return }
        throw Failure(
            .typeUnavailable,
            "the text is in the encoding \(type.textEncodingName ?? ""), which this system cannot convert to UTF-8; "
                + "-t '\(type.preferredMIMEType ?? type.identifier)' pastes its bytes"
        )
    }

    func write(_ bytes: Span<UInt8>) throws {
        try put(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// Writes all bytes of a file.
    ///
    /// - Parameter check: called repeatedly; an error that it throws ends the copy.
    func write(_ file: PassedFile, check: () throws -> Void) throws {
        do {
            // The passed file may have lost permissions since it was listed. The mode of shared memory has no meaning.
            if !file.isImmutable, let status = try? System.status(of: file.descriptor.raw) {
                try sink.narrow(to: status.mode)
            }
            try file.copy(to: filter.isEmpty ? sink.descriptor : nil) { count in
                byteCount = count
                try check()
            } write: {
                try put($0)
            }
        } catch let error as SystemError {
            if let failure = sink.failure(error) { throw failure }
        }
        byteCount = file.byteCount
    }

    private func put(_ bytes: Span<UInt8>) throws {
        guard !filter.isEmpty else { return try sink.write(bytes) }
        try change { () throws(SystemError) in try filter.next(bytes) }
    }

    /// Writes what the filter returns.
    private func change(_ body: () throws(SystemError) -> [UInt8]) throws {
        let changed: [UInt8]
        do throws(SystemError) {
            changed = try body()
        } catch {
            let text = "the bytes are not \(UniformType.readable(type.identifier)): \(error)"
            throw Failure(.sourceFailed, "\(text); paste without -t, into a file, to get them unchanged")
        }
        try sink.write(changed.span)
    }

    /// Completes the file, and returns the paths whose names were chosen here.
    func finish() throws -> [SystemString] {
        if !filter.isEmpty { try change { () throws(SystemError) in try filter.finish() } }
        return try sink.finish()
    }

    /// The members of its JSON object after those about its origin.
    ///
    /// - Parameter path: the file that was written; nil for standard output.
    func members(path: SystemString?) -> [(String, JSONValue)] {
        [
            ("item", JSONValue(UInt64(index) + 1)), ("type", .string(type.identifier)),
            ("bytes", JSONValue(byteCount)), ("name", JSONValue(name)), ("path", JSONValue(path?.escaped)),
        ]
    }
}
