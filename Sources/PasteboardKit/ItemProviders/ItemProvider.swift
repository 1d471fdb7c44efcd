public import FoundationEssentials
import PasteboardTransport
import PasteboardWire

/// A list of promises: the types an item can be had as, best first, each with the handler that makes the bytes.
///
/// A source makes one and registers representations; nothing is made before a load. A destination gets one from
/// ``Pasteboard/contents(timeout:)`` that stands for an item of another process, and loads from it in the same way. Unless
/// its documentation says otherwise, it behaves as `NSItemProvider` does.
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
    /// Where it crosses processes it is made one harmless path component, on both sides: no separator, control or bidi
    /// character, no leading dot, at most 255 bytes of UTF-8. Two items may well have the same one.
    public var suggestedName: String? {
        get { state.withLock { $0.suggestedName } }
        set { state.withLock { $0.suggestedName = newValue } }
    }

    /// The item's name for people, for example the headline of an article. No file is named after it.
    ///
    /// It has at most 1 KiB of UTF-8, which is checked when the provider is written. Control characters are removed when it
    /// is sent to another process. Every program that sees one of the item's types sees the title without a load.
    public var title: String? {
        get { state.withLock { $0.title } }
        set { state.withLock { $0.title = newValue } }
    }

    /// A few bytes that this user's programs on this machine may read without a load: 8 KiB at most, which is checked when
    /// the provider is written. nil where the item comes from another machine.
    public var teamData: Data? {
        get { state.withLock { $0.teamData } }
        set { state.withLock { $0.teamData = newValue } }
    }

    /// How large the item would like to be shown, in points; zero while that is not known.
    public var preferredPresentationSize: Size {
        get { state.withLock { $0.presentationSize } }
        set { state.withLock { $0.presentationSize = newValue } }
    }

    /// How the item would like to be shown.
    public var preferredPresentationStyle: PreferredPresentationStyle {
        get { state.withLock { $0.presentationStyle } }
        set { state.withLock { $0.presentationStyle = newValue } }
    }

    var contents: ProviderContents { state.withLock { $0 } }
}

/// How an item would like to be shown where it is dropped or pasted, as NSItemProvider has it: a hint.
public enum PreferredPresentationStyle: Int, Sendable {
    /// As the destination likes.
    case unspecified
    /// Among the text around it.
    case inline
    /// As an attachment.
    case attachment
}

/// Which processes may see a representation.
public enum ItemProviderRepresentationVisibility: Int, Sendable {
    /// All that the broker admits.
    case all
    /// The processes of this user on this machine.
    case team
    /// This process, and those whose connection has a group token in common with this one's; see
    /// ``PasteboardConnection/init(socketPath:startsBroker:groups:)``.
    case group
    /// This process alone. It is never told to the broker: only the provider itself can load it.
    case ownProcess
}

/// What may be done with the file of a representation.
public struct ItemProviderFileOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options of their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The original may be opened where it is, for reading; without this a destination gets a copy.
    public static let openInPlace = ItemProviderFileOptions(rawValue: 1)
}
