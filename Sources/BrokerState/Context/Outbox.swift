package import PasteboardWire

/// The output of one or more inputs: frames to send, encoded into one reused array, and the few effects that are not
/// frames. The driver performs it after each input; if it is not urgent, after a whole read.
///
/// It cannot be copied, because otherwise each access to one of its arrays would count references.
package struct Outbox: ~Copyable, Sendable {
    /// One or more frames for one peer.
    package struct Send: Sendable {
        /// `.none` if the frames have been removed.
        package fileprivate(set) var peer: PeerID
        package let order: FrameOrder
        /// The offset of the first frame. The last one ends where the next send begins, or at the end of the outbox.
        fileprivate let start: Int
        /// The descriptor to pass, and the load that it ends. Such a send contains exactly one frame.
        package let passing: Passing?
    }

    package struct Passing: Sendable, Equatable {
        package enum Descriptor: Sendable, Equatable {
            /// The descriptor that was passed with the frame that is being processed.
            case received
            /// The memory of kept bytes.
            case kept(KeptID)
        }

        package let descriptor: Descriptor
        package let load: LoadID
    }

    package enum Effect: Sendable, Equatable {
        /// Write a line about a peer to the log.
        case log(PeerRemoval)
        /// Write a line to the log about contents that were evicted.
        case logEviction(Eviction)
        /// Send the queued output, then close. The state has already removed the peer.
        case close(PeerID)
        /// The same, but without stream frames that are still to begin: the error on stream 0, which overtakes them, is
        /// the last frame.
        case closeAfterError(PeerID)
        /// The peer may send and be sent descriptors from now on. With `probes`, pass one with the frame that waits for
        /// it, which is its first: the peer finds out whether it arrives.
        case passDescriptors(PeerID, probes: Bool)
        /// Use the descriptor that was passed with the frame that is being processed as the memory of kept bytes.
        case adoptKept(KeptID)
        /// The kept bytes are complete.
        case completeKept(KeptID)
        case closeKept(KeptID)
        /// The kept bytes that follow are secret: overwrite them before they are closed.
        case concealKept(KeptID)
        /// Contents of a board have changed for the first time.
        case boardsChanged
        /// Save contents outside of the broker: see `BrokerState.saved`. Nothing of the same input may be sent before.
        case save(PublicationID)
        /// Remove contents that were saved. They may not have been.
        case removeSaved(PublicationID)
        /// Secret bytes pass through the peer's connection from now on: overwrite its buffers after use.
        case conceal(PeerID)
        /// Call `BrokerState.continueReport` when the peer has read enough, and until then keep its next requests back.
        case continueReport(PeerID)
        /// Call `BrokerState.continueChanges` when the peer has read enough, until it has nothing more to send.
        case sendChanges(PeerID)
        /// Release the saved contents and the path for another broker; continue until the state is drained.
        case stopListening
        /// End the connections that wait at the path, which another broker has taken over.
        case leavePath
    }

    package private(set) var frames = FrameMemory()
    package private(set) var sends: [Send] = []
    package private(set) var effects: [Effect] = []
    /// Whether the output must be performed before the next input. Requests to sources and answers to destinations may
    /// wait, because only frames of their own load have to follow them: those of one read are performed together.
    package private(set) var isUrgent = false

    package init() {}

    package var isEmpty: Bool { self.sends.isEmpty && self.effects.isEmpty }

    /// The range in `frames` of the frames of the send at `index`.
    package func bytes(ofSend index: Int) -> Range<Int> {
        let next = index + 1
        return sends[index].start..<(next < sends.count ? sends[next].start : frames.count)
    }

    /// The end of the output so far.
    struct Position {
        fileprivate let sends: Int
        fileprivate let bytes: Int
    }

    var end: Position { Position(sends: self.sends.count, bytes: self.frames.count) }

    package mutating func removeAll() {
        isUrgent = false
        self.frames.removeAll()
        // `removeAll` calls generic code, which costs as much as a dozen of these.
        while !self.sends.isEmpty { self.sends.removeLast() }
        while !self.effects.isEmpty { self.effects.removeLast() }
    }

    mutating func send(
        _ message: some WireMessage,
        to peer: PeerID,
        stream: UInt64,
        order: FrameOrder = .connection,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) {
        isUrgent = true
        let range = self.frames.append(message, stream: stream, flags: flags, descriptorCount: descriptorCount)
        add(range, to: peer, order)
    }

    /// Asks a source. It may wait: only the answers of the source follow it.
    mutating func send(_ ask: AskNumbers, type: Span<UInt8>, to source: PeerID, stream: UInt64) {
        add(self.frames.append(ask, type: type, stream: stream), to: source, .connection)
    }

    /// Answers a destination. It may wait: only the bytes of the load follow it, and the driver sends them later.
    mutating func send(
        _ answer: AnswerNumbers,
        type: Span<UInt8>,
        suggestedName: String?,
        to destination: PeerID,
        stream: UInt64
    ) {
        let range = self.frames.append(answer, type: type, suggestedName: suggestedName, stream: stream)
        add(range, to: destination, .connection)
    }

    /// Adds the frame that was encoded last. The frames of a read often have one receiver, which is then found once:
    /// such a frame needs no entry, because the last send reaches to the end of `frames`.
    private mutating func add(_ frame: Range<Int>, to peer: PeerID, _ order: FrameOrder) {
        let last = sends.count - 1
        guard last < 0 || sends[last].peer != peer || sends[last].order != order || sends[last].passing != nil else {
            return
        }
        sends.append(Send(peer: peer, order: order, start: frame.lowerBound, passing: nil))
    }

    /// Sends the answer that is a whole load, with its descriptor.
    mutating func pass(_ answer: Answer, with passing: Passing, to peer: PeerID, stream: UInt64) {
        isUrgent = true
        let range = self.frames.append(answer, stream: stream, flags: .last, descriptorCount: 1)
        self.sends.append(Send(peer: peer, order: .stream, start: range.lowerBound, passing: passing))
    }

    /// Removes the frames that were added for a peer after a position. The last frame before it must be one for this
    /// peer, too.
    mutating func removeFrames(to peer: PeerID, after position: Position) {
        for index in position.sends..<sends.count where sends[index].peer == peer { sends[index].peer = .none }
        // The frames that follow directly have joined the send of the one before them.
        guard self.bytes(ofSend: position.sends - 1).upperBound > position.bytes else { return }
        let joined = Send(peer: .none, order: .connection, start: position.bytes, passing: nil)
        sends.insert(joined, at: position.sends)
    }

    mutating func perform(_ effect: Effect) {
        isUrgent = true
        self.effects.append(effect)
    }
}

/// A peer that the broker refused or disconnected, as the log shows it. It contains nothing that the peer has
/// published.
package struct PeerRemoval: Sendable, Equatable {
    package enum Action: String, Sendable {
        /// The peer's connection was not admitted.
        case refused
        /// The peer broke a rule or a limit after it was admitted.
        case ended
    }

    package let action: Action
    /// The process that is charged, by its process id.
    package let process: UInt32
    /// `"name" (pid 812)`, or `pid 812` before hello.
    package let name: String
    package let failure: Failure

    package init(_ action: Action, process: UInt32, name: String? = nil, _ failure: Failure) {
        self.action = action
        self.process = process
        self.name = name ?? "pid \(process)"
        self.failure = failure
    }

    /// One line without control characters.
    package var text: String { "\(self.action.rawValue) \(self.name): \(self.failure)".printable }
}
