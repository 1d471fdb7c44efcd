import Glibc
import PasteboardTransport

/// Writes and removes the files of a spool on a thread of its own, because a disk may take long.
///
/// Removals come first: what was cleared leaves the disk even if large contents wait to be written.
final class SpoolWriter: Sendable {
    struct Write: Sendable {
        let number: UInt64
        /// The encoded contents.
        let description: [UInt8]
        /// Their kept bytes; nil for those that are empty.
        let kept: [DescriptorBox?]
        /// The files with earlier versions of the contents, which are removed when this one is complete.
        var replaced: [UInt64]
    }

    /// A file that could not be written or removed.
    struct Failed: Sendable {
        let number: UInt64
        let error: SystemError
        /// The files that it was to replace, and that are still there.
        let replaced: [UInt64]
    }

    private struct State {
        var removals: [UInt64] = []
        /// Files that could not be removed. The next job tries again.
        var unremoved: [UInt64] = []
        var writes: [Write] = []
        var isWorking = false
        /// Whether the thread ends after the last job.
        var isFinishing = false
        var failed: [Failed] = []
    }

    private enum Job {
        case write(Write)
        case remove(UInt64)
    }

    private let directory: DescriptorBox
    private let closer: DescriptorCloser
    private let state = Lock(State())
    /// Whether the directory belongs to another broker. Separate, because the loop must not wait for a disk to add a job.
    private let isStopped = Lock(false)
    private let wake = Semaphore()
    private let event: EventDescriptor

    /// Readable when there are failures, and when the last job is done.
    var raw: CInt { event.raw }

    /// - Parameter closer: closes kept bytes that are not written any more.
    init(_ directory: DescriptorBox, closer: DescriptorCloser) throws(SystemError) {
        self.directory = directory
        self.closer = closer
        event = try EventDescriptor()
    }

    /// Begins with the jobs that were added.
    func start() throws(SystemError) {
        try SystemThread(name: "pb-spool") { self.run() }.detach()
    }

    // MARK: Jobs

    /// Writes a file after the earlier ones. Those that it replaces need not be written first.
    func write(_ write: Write) {
        let dropped = state.withLock { state -> [Write] in
            guard !state.isFinishing else { return [] }
            var write = write
            let dropped = state.writes.filter { write.replaced.contains($0.number) }
            state.writes.removeAll { write.replaced.contains($0.number) }
            for dropped in dropped {
                write.replaced.removeAll { $0 == dropped.number }
                write.replaced += dropped.replaced
            }
            state.removals += state.unremoved
            state.unremoved = []
            state.writes.append(write)
            return dropped
        }
        release(dropped)
        wake.signal()
    }

    /// Removes a file, and those that it was to replace.
    func remove(_ number: UInt64) {
        let dropped = state.withLock { state -> [Write] in
            guard !state.isFinishing else { return [] }
            let dropped = state.writes.filter { $0.number == number }
            state.writes.removeAll { $0.number == number }
            state.removals += dropped.isEmpty ? [number] : dropped.flatMap(\.replaced)
            state.removals += state.unremoved
            state.unremoved = []
            return dropped
        }
        release(dropped)
        wake.signal()
    }

    /// The last references to large memory files are not released by the loop.
    private func release(_ writes: [Write]) {
        for write in writes {
            for file in write.kept { if let file { closer.release(file) } }
        }
    }

    /// Takes no more jobs. The thread ends after the last one.
    func finish() {
        state.withLock { $0.isFinishing = true }
        wake.signal()
    }

    /// Drops all jobs, without waiting for the one that the thread works at.
    func abandon() {
        state.withLock { state in
            state.removals = []
            state.writes = []
            state.isWorking = false
            state.isFinishing = true
        }
        wake.signal()
    }

    /// Leaves the files as they are: after the call, none appears or disappears.
    func stop() {
        isStopped.withLock { $0 = true }
        abandon()
    }

    var isBusy: Bool { state.withLock { $0.isWorking || !$0.writes.isEmpty || !$0.removals.isEmpty } }

    /// The failures since the last call.
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
                    case .write(let write): try perform(write)
                    case .remove(let number): try removeFile(number)
                    }
                    ended(nil)
                } catch {
                    switch job {
                    case .write(let write):
                        ended(Failed(number: write.number, error: error, replaced: write.replaced))
                    case .remove(let number): ended(Failed(number: number, error: error, replaced: []))
                    }
                }
            }
            if state.withLock({ $0.isFinishing }) { break }
        }
        event.signal()
    }

    private func next() -> Job? {
        state.withLock { state in
            if !state.removals.isEmpty {
                state.isWorking = true
                return .remove(state.removals.removeFirst())
            }
            guard !state.writes.isEmpty else { return nil }
            state.isWorking = true
            return .write(state.writes.removeFirst())
        }
    }

    private func ended(_ failed: Failed?) {
        state.withLock { state in
            state.isWorking = false
            if var failed {
                // The next version replaces what this one was to replace.
                if let next = state.writes.firstIndex(where: { $0.replaced.contains(failed.number) }) {
                    state.writes[next].replaced += failed.replaced
                    failed = Failed(number: failed.number, error: failed.error, replaced: [])
                }
                state.failed.append(failed)
            }
            // Before another thread can see that there is no job: it would not wait for the failure.
            if !state.failed.isEmpty || state.writes.isEmpty && state.removals.isEmpty { event.signal() }
        }
    }

    /// Writes beside the name, so that the name has complete contents or none.
    private func perform(_ write: Write) throws(SystemError) {
        let unfinished = SpoolDirectory.unfinishedName(write.number)
        var file: OwnedDescriptor?
        try unlessStopped { () throws(SystemError) in
            file = try System.create(unfinished, in: directory.raw, mode: 0o600)
        }
        guard let file else { return }
        do throws(SystemError) {
            try SpoolFile.write(write.description, kept: write.kept, to: file.raw) { isStopped.withLock { $0 } }
            try unlessStopped { () throws(SystemError) in
                let name = SpoolDirectory.name(write.number)
                try System.rename(unfinished, in: directory.raw, to: name, in: directory.raw)
            }
            try synchronize()
        } catch {
            try? unlink(unfinished)
            try? unlink(SpoolDirectory.name(write.number))
            throw error
        }
        for number in write.replaced { try? removeFile(number) }
    }

    private func removeFile(_ number: UInt64) throws(SystemError) {
        do throws(SystemError) {
            try unlink(SpoolDirectory.name(number))
        } catch {
            state.withLock { $0.unremoved.append(number) }
            throw error
        }
    }

    private func unlink(_ name: SystemString) throws(SystemError) {
        try unlessStopped { () throws(SystemError) in
            do throws(SystemError) {
                try System.unlink(name, in: directory.raw)
            } catch {
                // It could not be written.
                guard error.errno == ENOENT else { throw error }
            }
        }
        try synchronize()
    }

    private func synchronize() throws(SystemError) {
        do throws(SystemError) {
            try System.synchronize(directory.raw)
        } catch {
            // Not every file system can do that with a directory.
            guard error.errno == EINVAL else { throw error }
        }
    }

    private func unlessStopped(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        try isStopped.withLock { (isStopped) throws(SystemError) in
            if !isStopped { try body() }
        }
    }
}
