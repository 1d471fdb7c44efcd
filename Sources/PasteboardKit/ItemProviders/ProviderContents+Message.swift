import FoundationEssentials
import PasteboardClient
import PasteboardWire

// The conversion between a provider and the item message that other processes receive or send.
extension ProviderContents {
    /// Returns the contents that are sent to the broker; nil if no representation remains.
    ///
    /// - Parameter isDragged: whether the item belongs to a drag session. If so, representations for this process alone
    ///   are sent, too: its own destinations load them through the broker, as other processes do.
    /// - Throws: `invalid-argument` if a value is longer than the protocol allows.
    func published(isDragged: Bool = false) throws(PasteboardError) -> ProviderContents? {
        var published = self
        published.representations.removeAll { representation in
            // A destination that loads the text from here can convert it itself.
            if case .utf8Text = representation.origin { return true }
            return representation.visibility == .ownProcess && !isDragged
        }
        for (value, count, limit) in [
            ("team data", teamData?.count ?? 0, WireLimits.teamData),
            ("title", title?.utf8.count ?? 0, WireLimits.title),
        ] where count > limit {
            throw PasteboardError(
                .invalidArgument,
                message: "an item's \(value) has \(count) bytes; at most \(limit) are allowed"
            )
        }
        return published.representations.isEmpty ? nil : published
    }

    var message: Item {
        var item = Item()
        let file = fileThatNames
        item.suggestedName = file?.suggestion ?? suggestedName.flatMap(SafeFileName.component)
        item.representations = representations.map { representation in
            var message = representation.message
            // A different name that the program has suggested replaces the file's name.
            if file == nil { message.file?.name = nil }
            return message
        }
        if (presentation.width, presentation.height) != (0, 0) {
            item.presentationWidth = UInt64(thousandths: presentation.width)
            item.presentationHeight = UInt64(thousandths: presentation.height)
        }
        if presentation.style != 0 { item.presentationStyle = .init(rawValue: presentation.style) }
        item.title = title
        item.teamData = teamData.map { Array($0) }
        item.requires = item.requiredFeatures
        return item
    }

    /// The file that the item is named after, if the suggested name is that file's own.
    var fileThatNames: FileAttributes? {
        representations.lazy.compactMap(\.file).first { file in
            // Either the exact name, which may be unsafe, as in the process that made the provider, or the safe name
            // that another process received.
            file.name != nil
                && (file.name.map { String(decoding: $0, as: UTF8.self) } == suggestedName
                    || file.suggestion == suggestedName)
        }
    }

    /// Makes the contents from a received item, without its representations.
    init(_ item: Item) {
        let file = item.representations.lazy.compactMap(\.file).first {
            $0.name != nil && $0.suggestion == item.suggestedName
        }
        suggestedName = file?.suggestion ?? item.suggestedName.flatMap(SafeFileName.component)
        presentation.width = Double(item.presentationWidth ?? 0) / 1_000
        presentation.height = Double(item.presentationHeight ?? 0) / 1_000
        presentation.style = (item.presentationStyle ?? .absent).rawValue
        title = item.title
        teamData = item.teamData.map { Data($0) }
    }
}

extension Item {
    /// The features of the fields that restrict the item.
    var requiredFeatures: [UInt32] {
        representations.contains { $0.policy == .onceAndKept } ? [Feature.onceAndKept.rawValue] : []
    }
}

extension ProviderContents.Representation {
    fileprivate var message: PasteboardWire.Representation {
        var message = PasteboardWire.Representation(of: type)
        message.visibility = Visibility(rawValue: UInt32(visibility.rawValue))
        message.provision = .promised
        message.file = file
        if opensInPlace { message.fileOptions = .openInPlace }
        switch origin {
        case .handler(let registration):
            if registration.policy == .onceAndKept { message.policy = .onceAndKept }
            message.firstByteMilliseconds = registration.firstByteTimeout?.loadMilliseconds
        case .remote(let remote), .utf8Text(of: let remote):
            message.firstByteMilliseconds = remote.firstByteMilliseconds
        }
        return message
    }

    /// The handler that makes the bytes when another process loads them.
    var handler: DataHandler {
        switch origin {
        case .handler(let registration): registration.handler
        case .remote(let remote), .utf8Text(of: let remote):
            .reporting { .chunks(try await remote.open(inPlace: false, LoadOptions(), progress: $0).reader) }
        }
    }
}

extension UInt64 {
    /// Converts a length, which may have any value, to thousandths. A value that cannot be sent becomes 0.
    fileprivate init(thousandths length: Double) {
        let thousandths = (length * 1_000).rounded()
        self = thousandths >= 0 && thousandths < 1e15 ? UInt64(thousandths) : 0
    }
}
