public import FoundationEssentials

// Reads of the first item that has a type. They load, so the handlers of promises run. Promises of a source that has
// ended are left out. If the contents are replaced during a read, it reads the new ones. A read that finds no
// pause between the writes fails with `superseded` after 30 s, or with `timeout` after its timeout.
extension Pasteboard {
    /// The text of the first item that has plain text; nil if there is none. Of several encodings UTF-8 is loaded, then
    /// UTF-16, then any other.
    public var string: String? {
        get async throws(PasteboardError) {
            try await firstData(for: String.readableTypes, for: Call("the read of the text"))?.text
        }
    }

    /// Loads the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Parameters:
    ///   - type: the type; a type that conforms to it is accepted, too.
    ///   - options: the conditions of the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: the error of the load.
    public func loadData(
        for type: UniformType,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Data? {
        try await firstData(
            for: [type],
            preferring: .reader,
            options,
            progress: progress,
            for: Call("the load", timeout: options.timeout)
        )?.value
    }
}

extension ItemProviderReading {
    /// The types of which objects of the class are made.
    package static var readableTypes: [UniformType] {
        readableTypeIdentifiersForItemProvider.map { UniformType(importedAs: $0) }
    }
}

extension Loaded<Data> {
    /// The bytes as text.
    package var text: String {
        get throws(PasteboardError) { try value.text(of: type) }
    }
}
