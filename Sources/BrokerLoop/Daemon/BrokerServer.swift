package import BrokerState
package import PasteboardTransport
package import PasteboardWire

/// A broker with its sockets, ready to run. `pasteboardd` and programs that embed a broker use it.
package struct BrokerServer: ~Copyable {
    private var loop: BrokerLoop

    /// Creates a broker whose limits are lowered to the descriptors and the memory that this process may use.
    ///
    /// - Parameter log: receives lines for an administrator, on the thread that runs the broker.
    package init(limits: BrokerLimits, log: @escaping @Sendable (String) -> Void) throws(Failure) {
        var limits = limits
        limits.fit(descriptors: System.descriptorLimit())
        let configured = limits
        limits.fit(addressSpace: System.addressSpaceLimit(), group: System.groupMemoryLimit())
        loop = try asFailure { () throws(SystemError) in
            try BrokerLoop(state: try Self.state(limits), log: log)
        }
        let lowered = BrokerLimits.entries.filter { limits[keyPath: $0.path] < configured[keyPath: $0.path] }
        guard !lowered.isEmpty else { return }
        let values = lowered.map { "\($0.name)=\(limits[keyPath: $0.path])" }.joined(separator: ", ")
        loop.log("lowered limits to the memory that this process may use: \(values)")
    }

    /// A state with the epoch, process and time of a broker that starts now.
    package static func state(_ limits: BrokerLimits) throws(SystemError) -> BrokerState {
        BrokerState(
            limits: limits,
            epoch: try System.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1,
            firstChangeCount: MonotonicClock.bootMicroseconds(),
            process: UInt32(bitPattern: System.processID),
            programVersion: ProgramVersion.current
        )
    }

    /// Claims the path.
    ///
    /// - Parameter deadline: the time until which it waits for another broker to release it (see `MonotonicClock`).
    package static func claim(_ path: SocketPath, until deadline: UInt64 = 0) throws(Failure) -> ClaimedSocket {
        do throws(SocketPathError) {
            return try ClaimedSocket(claiming: path, until: deadline)
        } catch {
            throw error.failure
        }
    }

    /// Listens at a path that was claimed. If the socket or its directory is removed later, the broker drains.
    package mutating func listen(at claimed: consuming ClaimedSocket) throws(Failure) {
        var claimed = claimed
        let path = claimed.path
        if claimed.wasLeft { loop.expectReclaims() }
        do throws(SocketPathError) {
            try claimed.listen(refusal: ListenerSource.refusal)
        } catch {
            throw error.failure
        }
        let listener = ListenerSource(claimed)
        try add(listener)
        endIfRemoved(path, of: listener)
    }

    private mutating func endIfRemoved(_ path: SocketPath, of listener: ListenerSource) {
        do throws(SystemError) {
            try loop.add(VanishedSocketSource(path, of: listener))
        } catch {
            // A user has few inotify instances, which other programs may have taken.
            loop.log("cannot watch \(path.directory): \(error); this broker will not end if its socket is removed")
        }
    }

    /// Listens at a socket that the service manager has opened.
    package mutating func listen(at socket: consuming ListeningSocket) throws(Failure) {
        try add(ListenerSource(inherited: socket))
    }

    package mutating func add(_ source: some EventSource) throws(Failure) {
        try asFailure { () throws(SystemError) in try loop.add(source) }
    }

    /// Restores the contents that an earlier broker has saved, and saves contents from now on. Called before it
    /// listens.
    ///
    /// - Parameters:
    ///   - directory: nil if there is none.
    /// - Throws: a `SystemError` if the system cannot open saved contents now.
    package mutating func beginSaving(
        in directory: KeptDirectory?,
        disk: Disk
    ) throws(SystemError) {
        try loop.beginSaving(in: directory, disk: disk)
    }

    /// Runs until the broker has been stopped and has drained, or another one has taken over.
    package mutating func run() throws(Failure) {
        try asFailure { () throws(SystemError) in try loop.run() }
    }
}

extension SocketPathError {
    /// The failure of a broker that cannot claim its path.
    package var failure: Failure {
        guard case .held(let lock, let process) = self else { return Failure(.brokerUnavailable, "\(self)") }
        let holder = process.map { "process \($0)" } ?? "another process"
        return Failure(.brokerUnavailable, "a broker is already running: \(holder) holds the lock \(lock)")
    }
}

/// Converts errors of the system.
func asFailure<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(Failure) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw Failure(.brokerUnavailable, "\(error)")
    }
}

extension BrokerLimits {
    /// The defaults on this machine.
    package static var standard: BrokerLimits {
        var limits = BrokerLimits()
        limits.keptPool = System.memorySize() / 4
        return limits
    }

    /// Lowers the limits of memory to the part of it that a broker may fill.
    ///
    /// - Parameters:
    ///   - addressSpace: the limit of the address space. The program itself needs a part of it. Memory of queues may be
    ///     twice as large as its contents.
    ///   - group: the limit of the control group, which also counts kept bytes.
    package mutating func fit(addressSpace: UInt64?, group: UInt64?) {
        var heap = UInt64.max
        if let addressSpace { heap = (addressSpace - min(addressSpace, 16 << 20)) / 2 }
        if let group {
            heap = min(heap, group / 4)
            keptPool = min(keptPool, group / 4)
        }
        // A smaller pool would not serve a single connection.
        let pool = max(heap / 4, 1 << 20)
        controlPool = min(controlPool, pool)
        transferPool = min(transferPool, pool)
        metadata = min(metadata, pool)
    }

    /// Lowers the limits that consume descriptors to a number of descriptors, with a reserve for those not counted
    /// here.
    package mutating func fit(descriptors: UInt64) {
        let usable = max(32, descriptors - min(descriptors, 64))
        keptRepresentations = min(keptRepresentations, usable / 4)
        passedDescriptors = min(passedDescriptors, usable / 16)
        // Received descriptors count twice: as many may wait to be closed as are in transfer. A connection counts three
        // times: two descriptors may wait for the rest of their frames. A kept representation counts twice: without
        // small bytes beside it, the file of its board is open only for the copy on the disk.
        let rest = usable - 2 * keptRepresentations - 2 * passedDescriptors
        connections = min(connections, rest / 3)
    }
}
