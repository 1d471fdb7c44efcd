import PasteboardTransport

/// A list of promises: the types an item can be had as, best first, each with the handler that makes the bytes.
///
/// A source makes one and registers representations; nothing is made until somebody loads. A destination gets one from
/// ``Pasteboard/contents()`` that stands for an item of another process, and loads from it in the same way.
///
///     let provider = ItemProvider()
///     provider.suggestedName = "report"
///     provider.registerDataRepresentation(for: .utf8PlainText) { Data("made when asked".utf8) }
///     try await Pasteboard.general.write([provider])
public final class ItemProvider: Sendable {
    let state: Lock<ProviderContents>

    /// Makes a provider without representations.
    public convenience init() {
        self.init(ProviderContents())
    }

    init(_ contents: ProviderContents) {
        state = Lock(contents)
    }

    /// Another provider with the registrations of now; later ones of the one do not show up in the other.
    public func copy() -> ItemProvider {
        ItemProvider(contents)
    }

    /// A base name for a file with the item's bytes: a hint, without directory, with or without extension.
    ///
    /// From another process it is at most 255 bytes long and can be anything: sanitize it before it names a file.
    public var suggestedName: String? {
        get { state.withLock { $0.suggestedName } }
        set { state.withLock { $0.suggestedName = newValue } }
    }

    var contents: ProviderContents { state.withLock { $0 } }
}
