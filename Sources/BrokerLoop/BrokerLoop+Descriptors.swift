import BrokerState
import PasteboardTransport
import PasteboardWire

// Descriptors of peers: looked at without touching their files, passed on, and closed on the closer's thread.
extension BrokerLoop {
    /// A frame that announces a descriptor, and it.
    mutating func takePassed(_ header: FrameHeader, _ payload: Span<UInt8>, from connection: Connection) throws(Failure)
    {
        let facts: ReceivedDescriptor
        do throws(MissingDescriptor) {
            let descriptor = try connection.descriptors.take()
            self.received = descriptor
            facts = ReceivedDescriptor(inspecting: descriptor)
        } catch {
            guard error == .dropped else {
                throw Failure(.protocolViolation, "a frame announces a descriptor that did not come with it")
            }
            facts = .unusable("a descriptor for which the broker had no room, because it has too many open")
        }
        self.state.received(header, payload, descriptor: facts, from: connection.peer)
        self.perform()
        self.received = nil
        self.countUnclosed()
    }

    /// While file systems do not answer, what is on them stays open: loads then go inline, or the broker would run out of
    /// descriptors.
    mutating func countUnclosed() {
        self.state.unclosedDescriptors = UInt64(self.closer.waitingCount)
    }

    /// Nobody has to ask before he sends one, and one that nobody wants has to be closed as well: where that is not
    /// possible, no more are let in.
    var takesDescriptors: Bool { self.state.unclosedDescriptors < self.state.limits.passedDescriptors }

    /// One read brings at most the rest of a frame whose descriptor is here and the next frame's: more, which could stay
    /// here as long as a peer is not read, were announced by none. False if that was the peer's end.
    mutating func checkReceived(_ connection: Connection) -> Bool {
        guard connection.descriptors.count > 2 else { return true }
        self.state.violated(
            connection.peer,
            Failure(.protocolViolation, "\(connection.descriptors.count) descriptors came for two frames at most")
        )
        self.perform()
        return false
    }

    /// A descriptor comes with the first byte of its frame: what is here without one was announced by none.
    func checkUnclaimed(_ connection: Connection, isFrameOpen: Bool) throws(Failure) {
        guard !connection.descriptors.isEmpty else { return }
        guard connection.decoder.takesDescriptors, isFrameOpen, connection.descriptors.count == 1 else {
            throw Failure(.protocolViolation, "descriptors came that no frame announces")
        }
    }

    func passDescriptors(_ peer: PeerID) {
        guard let connection = self.connection(peer) else { return }
        connection.decoder.takesDescriptors = true
        // Kernels without this switch pass them always; then the decoder alone refuses what comes too early.
        Socket.setPassesDescriptors(connection.descriptor.raw, true)
    }

    /// Queues a frame with its descriptor; the load that it ends is told when the socket has taken it.
    mutating func pass(_ frame: Span<UInt8>, _ passing: Outbox.Passing, to target: Connection) {
        let descriptor: DescriptorBox?
        switch passing.descriptor {
        case .received: descriptor = self.received
        case .kept(let kept): descriptor = self.memory.descriptor(of: kept)
        }
        guard let descriptor else {
            // Its frame must not leave without it: the destination would take the next one's.
            return self.state.violated(target.peer, Failure(.noSpace, "the broker has lost the file of a load"))
        }
        target.output.markDescriptors([descriptor], name: passing.route.rawValue)
        target.output.appendStream(frame)
        target.output.mark(Delivery(route: passing.route.rawValue, count: 0))
        self.markDirty(target)
    }
}

extension ReceivedDescriptor {
    /// Asks the kernel for what it has at hand: on a mount that has stopped answering, nothing here waits for it.
    init(inspecting descriptor: DescriptorBox) {
        guard let status = try? System.status(of: descriptor.raw, synchronizing: false) else {
            self = .unusable("a descriptor that cannot be looked at")
            return
        }
        if System.isFullySealed(descriptor.raw) {
            self =
                status.occupiesItsSize
                ? .sealedMemory(byteCount: status.size) : .unusable("memory that occupies more than its size")
        } else if status.kind != .regular {
            self = .unusable("a descriptor of a \(status.kind), not of a file")
        } else if !System.isReadOnly(descriptor.raw) {
            self = .unusable("a file that is not open for reading only, or memory that is not sealed")
        } else {
            self = .readOnlyFile
        }
    }
}

extension FileStatus {
    /// Whether the file has no pages far behind its end: kept, they would be paid for by nobody.
    fileprivate var occupiesItsSize: Bool {
        // Pages may be larger than a file says that it is allocated by.
        let unit = max(self.allocationUnit, 64 << 10)
        let (units, overflow) = (self.size / unit).addingReportingOverflow(1)
        let (room, isVast) = units.multipliedReportingOverflow(by: unit)
        return overflow || isVast || self.allocatedSize <= room
    }
}
