public import FoundationEssentials
import PasteboardTransport
import PasteboardWire

/// A list of promises: the types in which an item is available, best first, each with the handler that makes the bytes.
///
/// A source makes a provider and registers representations; no bytes are made before a load. A destination gets a
/// provider from ``Pasteboard/contents(timeout:)``, which represents an item of another process, and loads from it in
/// the same way. A provider behaves as `NSItemProvider` does unless its documentation says otherwise.
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

    package convenience init(copying other: ItemProvider) {
        self.init(other.contents)
    }

    init(_ contents: ProviderContents) {
        state = Lock(contents)
    }

    /// A base name for a file that is made from the item: a hint, without a directory, with or without an extension.
    ///
    /// When the name is sent to another process, both sides reduce it to one harmless path component: without a
    /// separator, control or bidi character, without a leading dot, with at most 255 bytes of UTF-8. Several items may
    /// have the same name.
    public var suggestedName: String? {
        get { state.withLock { $0.suggestedName } }
        set { state.withLock { $0.suggestedName = newValue } }
    }

    /// The item's name for people, for example the headline of an article. No file is named after it.
    ///
    /// It has at most 1 KiB of UTF-8, which is checked when the provider is written. Control characters are removed
    /// when it is sent to another process. A program that may see one of the item's types sees the title without a
    /// load.
    public var title: String? {
        get { state.withLock { $0.title } }
        set { state.withLock { $0.title = newValue } }
    }

    /// A few bytes that this user's programs on this machine may read without a load. At most 8 KiB are allowed, which
    /// is checked when the provider is written. The value is nil if the item is from another machine.
    public var teamData: Data? {
        get { state.withLock { $0.teamData } }
        set { state.withLock { $0.teamData = newValue } }
    }

    /// The size and the style in which the item prefers to be shown.
    package var presentation: Presentation {
        get { state.withLock { $0.presentation } }
        set { state.withLock { $0.presentation = newValue } }
    }

    var contents: ProviderContents { state.withLock { $0 } }
    var representations: [ProviderContents.Representation] { state.withLock { $0.representations } }
}

extension ItemProvider: CustomStringConvertible {
    /// The name and the types, best first, in one line.
    public var description: String {
        let contents = contents
        let name = contents.suggestedName.map { "\"\($0)\": " } ?? ""
        return "ItemProvider(\(name)\(contents.representations.map(\.type.identifier).joined(separator: ", ")))"
    }
}

/// The processes that may see a representation.
public enum ItemProviderRepresentationVisibility: Int, Sendable {
    /// All processes that the broker admits.
    case all
    /// The processes of this user on this machine.
    case team
    /// This process, and the processes whose connection has a group token in common with this process's connection; see
    /// ``PasteboardConnection/init(socketPath:startsBroker:groups:isAutomatic:)``.
    case group
    /// This process alone. On a pasteboard only the provider itself can load the representation, because the broker is
    /// not informed of it. In a drag session this process's own destinations can load it, too.
    case ownProcess
}
