import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The contents of a pasteboard, taken over to be written again: on another one, or together with further items.
enum PresentContents {
    /// The number of times that the contents are read and written again because others have changed the board.
    private static let mostAttempts = 100
    /// The longest pause between two attempts, in milliseconds.
    private static let longestPause = 200

    /// Writes the present items of a board and `new` ones after them. If another program changes the board meanwhile,
    /// its items are taken instead, unless bytes of the new ones can be read only once.
    static func add(
        _ new: [WriteItem],
        to board: String,
        _ options: ContentOptions,
        over connection: BrokerConnection
    ) async throws -> Committed {
        let mayRepeat = new.allSatisfy(\.canBeWrittenAgain)
        return try await change(board, options, mayRepeat: mayRepeat, over: connection) { listing in
            try check(listing, on: board)
            return try await items(of: listing, connection) + new
        }
    }

    /// Replaces the contents of a board with the items that `body` returns, if they have not changed meanwhile.
    ///
    /// - Parameter mayRepeat: whether `body` is called again if they are not.
    static func change(
        _ board: String,
        _ options: ContentOptions,
        mayRepeat: Bool = true,
        over connection: BrokerConnection,
        _ body: (BoardListing) async throws -> [WriteItem]
    ) async throws -> Committed {
        let mayRepeat = mayRepeat && options.ifChangeCount == nil
        var attempts = 0
        var backoff = Backoff()
        while true {
            let listing = try await connection.listing(of: board, settles: false)
            let write = self.write(to: board, holding: listing.contents, options)
            do {
                guard listing.contents.terms?.maximumLoads == nil else {
                    throw refusal("they can be pasted only a limited number of times", on: board)
                }
                return try await connection.keep(body(listing), as: write)
            } catch  where mayRepeat && isSuperseded(error) {
                attempts += 1
                guard attempts < mostAttempts else {
                    let text =
                        "cannot add to pasteboard \(board): other programs have changed it during each of "
                        + "\(attempts) attempts; nothing was added; try again, or copy without --add to replace it"
                    throw Failure(.superseded, text)
                }
                // Other programs that add at the same time are served meanwhile. The delay is random, so that they do
                // not collide again.
                let pause = min(backoff.delay(), longestPause)
                await connection.loop.sleep(until: MonotonicClock.deadline(milliseconds: pause))
            }
        }
    }

    private static func isSuperseded(_ error: any Error) -> Bool {
        error.asFailure?.code == .superseded
    }

    /// All items of a board, for a copy on another one. Kept bytes that the broker passes as descriptors are not
    /// copied; promised contents are made now.
    static func copied(
        from board: String,
        over connection: BrokerConnection
    ) async throws -> (items: [WriteItem], terms: ContentTerms?) {
        let listing = try await connection.listing(of: board, settles: false)
        let contents = listing.contents
        guard contents.handle != nil, !listing.items.isEmpty else {
            throw Failure.empty(board, cleared: contents.clearedMilliseconds)
        }
        guard contents.terms?.maximumLoads == nil else {
            throw Failure(.refused, "cannot copy pasteboard \(board), which can be pasted a limited number of times")
        }
        if let gone = listing.items.lazy.flatMap(\.representations).first(where: { $0.provision == .gone }) {
            let owner = TextTable.program(contents.ownerLabel, contents.ownerProcess)
            let text = "cannot copy pasteboard \(board): \(owner), which promised \(gone.type), has ended"
            throw Failure(.sourceGone, text)
        }
        return (try await items(of: listing, connection), contents.terms)
    }

    private static func write(to board: String, holding contents: Contents, _ options: ContentOptions) -> Write {
        let terms = contents.terms.map { options.terms?.joined(with: $0) ?? $0 }
        return options.write(to: board, terms: terms, ifChangeCount: options.ifChangeCount ?? contents.changeCount)
    }

    /// Throws if the present contents cannot be taken over.
    private static func check(_ listing: BoardListing, on board: String) throws {
        for representation in listing.items.lazy.flatMap(\.representations) where representation.provision != .kept {
            let owner = TextTable.program(listing.contents.ownerLabel, listing.contents.ownerProcess)
            throw refusal(
                representation.provision == .gone
                    ? "\(owner), which promised them, has ended"
                    : "\(owner) has promised them, and the broker does not keep them",
                on: board
            )
        }
    }

    private static func refusal(_ reason: String, on board: String) -> Failure {
        let text = "cannot add to the contents of pasteboard \(board): \(reason)"
        return Failure(.refused, "\(text); a copy replaces them")
    }

    /// The items with the bytes of all their representations, for a broker that keeps them.
    ///
    /// - Parameter left: the index of an item that is left out.
    static func items(
        of listing: BoardListing,
        _ connection: BrokerConnection,
        without left: Int? = nil
    ) async throws -> [WriteItem] {
        var items: [WriteItem] = []
        for (index, item) in listing.items.enumerated() where index != left {
            var plain = item
            plain.representations = []
            var written = WriteItem(plain, representations: [])
            for representation in item.representations {
                let accepts = [Accept(representation.type, match: .exact)]
                let load = Load(listing.contents.handle, item: UInt32(clamping: index), accepts: accepts)
                written.representations.append(try await kept(representation, load, connection))
            }
            items.append(written)
        }
        return items
    }

    /// A representation and its bytes. A memory file of the broker is written as it is, without a copy.
    private static func kept(
        _ representation: Representation,
        _ load: Load,
        _ connection: BrokerConnection
    ) async throws -> (representation: Representation, source: ByteSource) {
        var incoming = try await connection.load(load)
        var representation = representation
        if representation.provision != .kept {
            // The promise has made these bytes, and others than it has announced.
            (representation.byteCount, representation.policy) = (nil, nil)
            if incoming.answer.isArchive { representation.content = .folderArchive }
        }
        guard let file = incoming.file else {
            var all: [UInt8] = []
            while let bytes = try await incoming.next() { all.append(copying: bytes.span) }
            return (representation, .bytes(all))
        }
        if let memory = connection.welcome.memory(file), try memory.size == file.byteCount {
            return (representation, .memory(memory))
        }
        var offset: UInt64 = 0
        let pieces = ByteSource.pieces(of: file.descriptor.raw) {
            let count = Int(clamping: min(UInt64(WireLimits.dataLength), file.byteCount - offset))
            let bytes = try [UInt8](capacity: count) { (output) throws(Failure) in
                if count > 0 { try file.read(at: offset, into: &output) }
            }
            offset += UInt64(bytes.count)
            return bytes
        }
        return (representation, pieces)
    }
}

extension WriteItem {
    /// Whether no bytes are read from a file or a pipe while the item is written.
    var canBeWrittenAgain: Bool {
        representations.allSatisfy { representation in
            switch representation.source {
            case .promised, .bytes, .memory: true
            case .pieces: false
            }
        }
    }
}
