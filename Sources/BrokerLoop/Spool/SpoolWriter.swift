import PasteboardTransport

/// Writes and removes the files of a spool on a thread of its own, because a disk may take long.
final class SpoolWriter: Sendable {
    enum Job: Sendable {
        /// - Parameters:
        ///   - description: the encoded contents.
        ///   - kept: their kept bytes; nil for those that are empty.
        case write(UInt64, description: [UInt8], kept: [DescriptorBox?])
        case remove(UInt64)
    }

    /// A file that could not be written.
    struct Failed: Sendable {
        let number: UInt64
        let error: SystemError
    }

    private struct State {
        var jobs: [Job] = []
        var isWorking = false
        /// Whether the thread ends after the last job.
        var isFinishing = false
        var failed: [Failed] = []
    }

    private let directory: DescriptorBox
    private let state = Lock(State())
    /// Whether the directory belongs to another broker. Separate, because the loop must not wait for a disk to add a job.
    private let isStopped = Lock(false)
    private let wake = Semaphore()
    private let event: EventDescriptor

    /// Readable when there are failures, and when the last job is done.
    var raw: CInt { event.raw }

    init(_ directory: DescriptorBox) throws(SystemError) {
        self.directory = directory
        event = try EventDescriptor()
    }

    /// Begins with the jobs that were added.
    func start() throws(SystemError) {
        try SystemThread(name: "pb-spool") { self.run() }.detach()
    }

    // MARK: Jobs

    /// Adds a job, which follows the earlier ones. A file that is removed before it was written needs neither.
    func add(_ job: Job) {
        state.withLock { state in
            guard !state.isFinishing else { return }
            if case .remove(let number) = job, let index = state.jobs.firstIndex(where: { $0.writes(number) }) {
                state.jobs.remove(at: index)
            } else {
                state.jobs.append(job)
            }
        }
        wake.signal()
    }

    /// Takes no more jobs. The thread ends after the last one.
    func finish() {
        state.withLock { $0.isFinishing = true }
        wake.signal()
    }

    /// Leaves the files as they are: after the call, none appears or disappears.
    func stop() {
        isStopped.withLock { $0 = true }
        state.withLock { state in
            state.jobs = []
            state.isFinishing = true
        }
        wake.signal()
    }

    var isBusy: Bool { state.withLock { $0.isWorking || !$0.jobs.isEmpty } }

    /// The files that could not be written since the last call.
    func takeFailed() -> [Failed] {
        event.drain()
        return state.withLock { state in
            defer { state.failed = [] }
            return state.failed
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            wake.wait()
            while let job = next() {
                do throws(SystemError) {
                    switch job {
                    case .write(let number, let description, let kept): try write(number, description, kept)
                    case .remove(let number): try remove(SpoolDirectory.name(number))
                    }
                } catch {
                    ended(job, error)
                    continue
                }
                ended(job, nil)
            }
            if state.withLock({ $0.isFinishing && $0.jobs.isEmpty }) { return }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            state.isWorking = true
            return state.jobs.removeFirst()
        }
    }

    private func ended(_ job: Job, _ error: SystemError?) {
        let wakes = state.withLock { state in
            if let error { state.failed.append(Failed(number: job.number, error: error)) }
            state.isWorking = false
            return error != nil || state.jobs.isEmpty
        }
        if wakes { event.signal() }
    }

    /// Writes beside the name, so that the name has complete contents or none.
    private func write(_ number: UInt64, _ description: [UInt8], _ kept: [DescriptorBox?]) throws(SystemError) {
        let unfinished = SpoolDirectory.unfinishedName(number)
        var file: OwnedDescriptor?
        try unlessStopped { () throws(SystemError) in
            file = try System.create(unfinished, in: directory.raw, mode: 0o600)
        }
        guard let file else { return }
        do throws(SystemError) {
            try SpoolFile.write(description, kept: kept, to: file.raw) { isStopped.withLock { $0 } }
            try unlessStopped { () throws(SystemError) in
                let name = SpoolDirectory.name(number)
                try System.rename(unfinished, in: directory.raw, to: name, in: directory.raw)
            }
            try System.synchronize(directory.raw)
        } catch {
            try? remove(unfinished)
            throw error
        }
    }

    private func remove(_ name: SystemString) throws(SystemError) {
        try unlessStopped { () throws(SystemError) in
            do throws(SystemError) {
                try System.unlink(name, in: directory.raw)
            } catch {
                // It could not be written.
                guard error.errno == 2 else { throw error }
            }
        }
        try System.synchronize(directory.raw)
    }

    private func unlessStopped(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        try isStopped.withLock { (isStopped) throws(SystemError) in
            if !isStopped { try body() }
        }
    }
}

extension SpoolWriter.Job {
    fileprivate var number: UInt64 {
        switch self {
        case .write(let number, _, _), .remove(let number): number
        }
    }

    fileprivate func writes(_ number: UInt64) -> Bool {
        if case .write(number, _, _) = self { true } else { false }
    }
}
