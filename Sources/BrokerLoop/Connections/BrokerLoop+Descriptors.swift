import BrokerState
import PasteboardTransport
import PasteboardWire

// Descriptors of peers: inspected without access to their files, passed on, and closed on the closer's thread.
extension BrokerLoop {
    /// Processes a frame that announces a descriptor.
    mutating func handlePassed(_ header: FrameHeader, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard let slot = find(peer) else { return }
        var descriptor: DescriptorBox?
        let facts: ReceivedDescriptor
        do throws(MissingDescriptor) {
            let box = try connections[slot].descriptors.take()
            facts = ReceivedDescriptor(inspecting: box, keptOn: memory.directory?.device)
            descriptor = box
        } catch {
            guard error == .dropped else {
                throw Failure(.protocolViolation, "a frame announces a descriptor that did not arrive with it")
            }
            facts = .unusable("a descriptor that the broker could not receive (too many open files)")
        }
        input(with: descriptor) { $0.received(header, payload, descriptor: facts, from: peer) }
        descriptor = nil
        countUnclosed()
    }

    /// Reports the number of descriptors that are not closed yet. While a file system does not answer, the descriptors
    /// of its files stay open. Loads are sent inline then; otherwise the broker would run out of descriptors.
    mutating func countUnclosed() {
        let count = UInt64(closer.waitingCount)
        input { $0.setUnclosedDescriptors(count) }
    }

    /// Whether received descriptors are accepted. A peer may send one without a request, and an unwanted one has to be
    /// closed as well; while closing is not possible, no more are accepted.
    var takesDescriptors: Bool {
        mutating get { state.world.context.unclosedDescriptors < state.world.context.limits.passedDescriptors }
    }

    /// Ends a peer that has sent more descriptors than its frames can announce: they could stay open as long as the
    /// peer is not read. After one read at most two can be valid, that of an incomplete frame and that of the next
    /// frame.
    ///
    /// - Returns: false if the peer has been ended.
    mutating func checkReceived(_ peer: PeerID) -> Bool {
        guard let slot = find(peer) else { return false }
        let count = connections[slot].descriptors.count
        guard count > 2 else { return true }
        input { $0.violated(peer, Failure(.protocolViolation, "received \(count) descriptors for at most two frames")) }
        return false
    }

    /// Refuses a descriptor without a frame: it has to arrive with the first byte of the frame that announces it.
    mutating func checkUnclaimed(_ slot: ConnectionSlot, isFrameOpen: Bool) throws(Failure) {
        guard !connections[slot].descriptors.isEmpty else { return }
        guard connections[slot].decoder.takesDescriptors, isFrameOpen, connections[slot].descriptors.count == 1 else {
            throw Failure(.protocolViolation, "received descriptors that no frame announces")
        }
    }

    mutating func passDescriptors(_ peer: PeerID, probes: Bool) {
        guard let slot = find(peer) else { return }
        if probes {
            connections[slot].output.sendControl(passing: probe?.raw, to: connections[slot].descriptor.raw)
        }
        connections[slot].decoder.takesDescriptors = true
        // Kernels without this switch always pass them. There, only the decoder refuses those that arrive too early.
        Socket.setPassesDescriptors(connections[slot].descriptor.raw, true)
    }

    /// Queues a frame with its descriptor. The delivery that is reported when the socket has taken it ends its load.
    mutating func pass(_ frame: Span<UInt8>, _ passing: Outbox.Passing, to target: ConnectionSlot) {
        let descriptor: DescriptorBox?
        switch passing.descriptor {
        case .received: descriptor = received
        case .kept(let kept):
            let opensFiles = memory.isInDirectory(kept) && connections[target].seesFiles()
            descriptor = memory.descriptor(of: kept, opensFiles: opensFiles)
        }
        guard let descriptor else {
            // Without the descriptor the destination would take the one of the next frame, so this frame is dropped.
            return input { $0.passingRefused(passing.load) }
        }
        connections[target].output.markDescriptors([descriptor], name: passing.load.rawValue)
        connections[target].output.appendStream(frame)
        connections[target].output.mark(Delivery(load: passing.load.rawValue, count: 0))
        flushLater(target)
    }
}

extension ReceivedDescriptor {
    /// Inspects a descriptor. Uses only data that the kernel has in memory, so that a mount that does not answer cannot
    /// block the broker.
    ///
    /// - Parameter device: the device of the kept directory.
    init(inspecting descriptor: DescriptorBox, keptOn device: UInt64?) {
        guard let status = try? System.status(of: descriptor.raw, synchronizing: false) else {
            self = .unusable("a descriptor that cannot be inspected")
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
        } else if status.device == device, status.owner == System.userID, status.occupiesItsSize,
            !System.hasWriter(descriptor.raw)
        {
            self = .keptFile(byteCount: status.size)
        } else {
            self = .readOnlyFile
        }
    }
}

extension FileStatus {
    /// Whether the file occupies no more pages than its size needs. If the broker kept such a file, no process would be
    /// charged for them.
    fileprivate var occupiesItsSize: Bool {
        // A page may be larger than the reported unit of allocation.
        let unit = max(allocationUnit, 64 << 10)
        let (units, overflow) = (size / unit).addingReportingOverflow(1)
        let (room, isVast) = units.multipliedReportingOverflow(by: unit)
        return overflow || isVast || allocatedSize <= room
    }
}
