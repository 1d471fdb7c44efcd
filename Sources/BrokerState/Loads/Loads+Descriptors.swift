import PasteboardWire

// Loads whose bytes are in a descriptor, which the broker passes on unread.
extension Loads {
    /// Receives an answer with a descriptor, which is the whole load.
    mutating func receive(
        _ descriptor: ReceivedDescriptor,
        on stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        in world: inout World
    ) throws(Failure) {
        guard let slot = try ask(on: stream, of: peer) else { return }
        guard loadTable[slot].expectsDescriptor else {
            throw Failure(.protocolViolation, "received a descriptor that the ask did not allow")
        }
        guard loadTable[slot].phase.awaitsAnswer else {
            throw Failure(.protocolViolation, "a descriptor replaces all bytes and has to be the first answer")
        }
        let answer: Answer
        do throws(Failure) {
            answer = try Answer(decoding: payload)
        } catch {
            return fail(slot, .malformedAnswer(error), in: &world)
        }
        if let cause = descriptor.fault(in: answer, maximum: loadTable[slot].maximumByteCount) {
            return fail(slot, cause, in: &world)
        }
        loadTable[slot].declaredByteCount = answer.byteCount
        loadTable[slot].content = answer.content
        let path = loadTable[slot].isInPlaceWelcome ? answer.path?.ifUsable : nil
        pass(slot, .received, path: path, name: answer.suggestedName, in: &world)
    }

    /// Answers a load with its descriptor. The load is charged until the destination's socket has taken it. Kept bytes
    /// also remain a load until then, because they may have to be sent inline after all.
    ///
    /// The longest type, name and path together fit a frame with a descriptor.
    mutating func pass(
        _ slot: Slot,
        _ descriptor: Outbox.Passing.Descriptor,
        path: String? = nil,
        name: String? = nil,
        in world: inout World
    ) {
        guard case .destination(let peer, let stream) = loadTable[slot].receiver,
            let offered = world.contents.find(loadTable[slot].publication)
        else { return }
        let (numbers, suggestedName) = answer(slot, offered, name: name, world.contents)
        let type = world.contents[offered].representation(loadTable[slot].part).type
        var answer = Answer(numbers, type: type, suggestedName: suggestedName)
        answer.path = path
        let passing = Outbox.Passing(descriptor: descriptor, load: loadTable.id(of: slot))
        world.context.outbox.pass(answer, with: passing, to: peer, stream: stream)
        world.context.counters.passedDescriptors += 1
        switch loadTable[slot].source {
        case .kept:
            loadTable[slot].phase = .passing
        case .peer:
            world.context.counters.loadsDone += 1
            end(slot, isDescriptor: true, in: &world)
        }
    }

    /// The system did not pass a descriptor on, and its frame has been dropped. Kept bytes are then sent inline; a load
    /// of a source's file fails.
    mutating func passingRefused(_ id: LoadID, in world: inout World) {
        guard let slot = loadTable.find(id) else { return }
        switch loadTable[slot].phase {
        case .passing:
            world.context.counters.passedDescriptors -= 1
            start(slot, in: &world)
        case .delivering(.descriptor):
            world.context.counters.passedDescriptors -= 1
            if case .peer = loadTable[slot].source { fileWasRefused(slot, in: &world) }
            release(slot, &world.context)
        case .queued, .asked, .flowing, .delivering(.bytes):
            return
        }
    }

    private mutating func fileWasRefused(_ slot: Slot, in world: inout World) {
        guard case .destination(let peer, let stream) = loadTable[slot].receiver else { return }
        let failure = LoadFailure.descriptorRefused.failure(from: sourceName(of: slot), world.context)
        world.context.send(failure, to: peer, stream: stream)
        if let session = world.contents.session(of: loadTable[slot].publication) {
            report(.lost(session, loadTable[slot].part, failure))
        }
        world.context.counters.loadsDone -= 1
        world.context.counters.loadsFailed += 1
    }

    /// Whether kept bytes are passed to a load as a descriptor: they must be complete, and a small number of bytes
    /// arrives sooner inline.
    func isPassed(_ kept: KeptID, to slot: Slot, _ contents: borrowing ContentStore) -> Bool {
        guard loadTable[slot].isDescriptorWelcome, let kept = contents.kept(kept) else { return false }
        return kept.isWhole && kept.count > WireLimits.inlineLength
    }
}

/// The properties of a descriptor that was passed with a frame. The driver determines them without access to the file's
/// contents.
package enum ReceivedDescriptor: Sendable, Equatable {
    /// A memory file with all four seals.
    case sealedMemory(byteCount: UInt64)
    /// A file in the file system of the kept directory, open for reading only, that nobody has open for writing.
    case keptFile(byteCount: UInt64)
    /// Another regular file, open for reading only.
    case readOnlyFile
    /// Anything else, with a description.
    case unusable(String)

    /// The reason why the descriptor cannot be the load that a source's answer describes; nil if it can.
    fileprivate func fault(in answer: Answer, maximum: UInt64?) -> LoadFailure? {
        guard let byteCount = answer.byteCount else { return .unsizedDescriptor }
        switch self {
        case .unusable(let what): return .unusableDescriptor(what)
        case .sealedMemory(let size) where size < byteCount:
            return .shortDescriptor(byteCount: size, declared: byteCount)
        case .sealedMemory, .keptFile, .readOnlyFile: break
        }
        if let maximum, byteCount > maximum { return .tooLarge(byteCount: byteCount, maximum: maximum) }
        return nil
    }
}

extension String {
    /// The path, if it may be passed on. Nothing else depends on it, so an invalid path is not an error.
    fileprivate var ifUsable: String? {
        utf8.first == UInt8(ascii: "/") && utf8.count <= WireLimits.path && !utf8.contains(0) ? self : nil
    }
}
