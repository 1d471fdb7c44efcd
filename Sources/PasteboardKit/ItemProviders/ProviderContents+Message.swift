import FoundationEssentials
import PasteboardClient
import PasteboardWire

// What other processes are told of a provider, and what they tell.
extension ProviderContents {
    /// What other processes may know of it; nil if that is nothing.
    ///
    /// - Parameter isDragged: then the broker is told, too, what this process alone may know: its own destinations load by
    ///   it as all others do.
    /// - Throws: `invalid-argument` for what the protocol has no room for.
    func published(isDragged: Bool = false) throws(PasteboardError) -> ProviderContents? {
        var published = self
        published.representations.removeAll { representation in
            // Whoever loads it from here can convert the text himself.
            if case .utf8Text = representation.origin { return true }
            return representation.visibility == .ownProcess && !isDragged
        }
        guard (teamData?.count ?? 0) <= WireLimits.teamData else {
            throw PasteboardError(
                .invalidArgument,
                message:
                    "the team data of an item has \(teamData?.count ?? 0) bytes; at most \(WireLimits.teamData) travel"
            )
        }
        guard (title?.utf8.count ?? 0) <= WireLimits.title else {
            throw PasteboardError(
                .invalidArgument,
                message: "the title of an item has \(title?.utf8.count ?? 0) bytes; at most \(WireLimits.title) travel"
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
            // Another name that the program has suggested replaces that of the file.
            if file == nil { message.file?.name = nil }
            return message
        }
        if presentationSize != .zero {
            item.presentationWidth = UInt64(thousandths: presentationSize.width)
            item.presentationHeight = UInt64(thousandths: presentationSize.height)
        }
        if presentationStyle != .unspecified {
            item.presentationStyle = .init(rawValue: UInt32(presentationStyle.rawValue))
        }
        item.title = title
        item.teamData = teamData.map { Array($0) }
        if item.representations.contains(where: { $0.policy == .onceAndKept }) {
            item.requires = [Feature.onceAndKept.rawValue]
        }
        return item
    }

    /// The file that the item is named after, if the suggested name is that file's own.
    var fileThatNames: FileAttributes? {
        representations.lazy.compactMap(\.file).first { file in
            // As the program knows it, which may be unsafe, or as it came from another process.
            file.name.map { String(decoding: $0, as: UTF8.self) } == suggestedName || file.suggestion == suggestedName
        }
    }

    /// A received item, without its representations.
    init(_ item: Item) {
        let file = item.representations.lazy.compactMap(\.file).first { $0.suggestion == item.suggestedName }
        suggestedName = file?.suggestion ?? item.suggestedName.flatMap(SafeFileName.component)
        presentationSize = Size(
            width: Double(item.presentationWidth ?? 0) / 1_000,
            height: Double(item.presentationHeight ?? 0) / 1_000
        )
        presentationStyle =
            PreferredPresentationStyle(rawValue: Int((item.presentationStyle ?? .absent).rawValue)) ?? .unspecified
        title = item.title
        teamData = item.teamData.map { Data($0) }
    }
}

extension ProviderContents.Representation {
    fileprivate var message: PasteboardWire.Representation {
        var message = PasteboardWire.Representation(of: type)
        message.visibility = Visibility(rawValue: UInt32(visibility.rawValue))
        message.provision = .promised
        message.file = file
        if !fileOptions.isEmpty {
            message.fileOptions = FileOptions(rawValue: UInt32(truncatingIfNeeded: fileOptions.rawValue))
        }
        switch origin {
        case .handler(let registration):
            if registration.policy == .onceAndKept { message.policy = .onceAndKept }
            message.firstByteMilliseconds = registration.firstByteTimeout?.loadMilliseconds
        case .remote(let remote), .utf8Text(of: let remote):
            message.firstByteMilliseconds = remote.firstByteMilliseconds
        }
        return message
    }

    /// What makes the bytes when another process asks for them.
    var handler: DataHandler {
        switch origin {
        case .handler(let registration): registration.handler
        case .remote(let remote), .utf8Text(of: let remote):
            .reporting {
                .chunks(try await remote.open(timeout: nil, inPlace: false, progress: $0).chunks.source.takeReader())
            }
        }
    }
}

extension UInt64 {
    /// Of a length that may be anything.
    fileprivate init(thousandths length: Double) {
        let thousandths = (length * 1_000).rounded()
        self = thousandths >= 0 && thousandths < 1e15 ? UInt64(thousandths) : 0
    }
}

extension Duration {
    /// At least 1, because 0 stands for none.
    var loadMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        let (milliseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return .max }
        return max(1, milliseconds.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000_000_000).partialValue)
    }
}
