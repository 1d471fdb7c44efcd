import BrokerState
import Glibc
import PasteboardTransport

/// Writes and removes the files of a spool on a thread of its own, because calls to a disk can block.
///
/// Removals come first: what was cleared leaves the disk even if large contents wait to be written. Only it knows which files exist, because its thread learns whether a write has failed.
final class SpoolWriter: Sendable {
    /// A file to write.
    struct Write: Sendable {
        let number: UInt64
        /// The encoded contents.
        let description: [UInt8]
        /// Their kept bytes; nil for those that are empty.
        let kept: [DescriptorBox?]
    }

    struct Failures: Sendable {
        /// The first error.
        var error: SystemError?
        /// Contents whose newest version could not be written.
        var unwritten: [PublicationID] = []
        /// The contents among them of which no version is on the disk.
        var lost: [PublicationID] = []
    }

    private struct State {
        /// The files of contents, usually one.
        var files: [PublicationID: [UInt64]] = [:]
        /// Contents whose files are to be removed.
        var removals: [PublicationID] = []
        /// The versions of contents that are to be written, at most one of each.
        var writes: [(contents: PublicationID, write: Write)] = []
        /// Files that belong to no current contents, and files whose removal has failed.
        var unneeded: [UInt64] = []
        /// Whether to remove those now.
        var retries = false
        var isWorking = false
        /// Whether the thread ends after the last job.
        var isFinishing = false
        var failed: [(contents: PublicationID?, error: SystemError)] = []

        var hasJobs: Bool { !removals.isEmpty || !writes.isEmpty || retries }
    }

    private enum Job {
        case write(PublicationID, Write)
        case remove([UInt64])
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

    /// Notes a file that an earlier broker has written.
    func adopt(_ number: UInt64, for contents: PublicationID) {
        state.withLock { $0.files[contents, default: []].append(number) }
    }

    /// Queues a version of contents. It takes the place of an earlier version that is still queued. Files with earlier versions
    /// are removed when this one is on the disk.
    func write(_ write: Write, for contents: PublicationID) {
        let dropped = state.withLock { state -> Write? in
            guard !state.isFinishing else { return nil }
            guard let index = state.writes.firstIndex(where: { $0.contents == contents }) else {
                state.writes.append((contents, write))
                return nil
            }
            defer { state.writes[index].write = write }
            return state.writes[index].write
        }
        release(dropped)
        wake.signal()
    }

    /// Removes the files of contents.
    func remove(_ contents: PublicationID) {
        let dropped = state.withLock { state -> Write? in
            guard !state.isFinishing else { return nil }
            state.removals.append(contents)
            guard let index = state.writes.firstIndex(where: { $0.contents == contents }) else { return nil }
            return state.writes.remove(at: index).write
        }
        release(dropped)
        wake.signal()
    }

    /// Removes a file that belongs to no current contents.
    func remove(file number: UInt64) {
        state.withLock { state in
            state.unneeded.append(number)
            state.retries = true
        }
        wake.signal()
    }

    /// Removes the files again whose removal has failed.
    func retryRemovals() {
        state.withLock { $0.retries = $0.retries || !$0.unneeded.isEmpty }
        wake.signal()
    }

    /// The last references to large memory files are not released by the loop.
    private func release(_ write: Write?) {
        for file in write?.kept ?? [] { if let file { closer.release(file) } }
    }

    /// Takes no more jobs. The thread ends after the last one.
    func finish() {
        state.withLock { state in
            state.retries = state.retries || !state.unneeded.isEmpty
            state.isFinishing = true
        }
        wake.signal()
    }

    /// Drops all queued jobs, without waiting for the current one.
    func abandon() {
        state.withLock { state in
            state.removals = []
            state.writes = []
            state.retries = false
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

    var isBusy: Bool { state.withLock { $0.isWorking || $0.hasJobs } }

    /// The failures since the last call.
    func takeFailures() -> Failures {
        event.drain()
        return state.withLock { state in
            var failures = Failures(error: state.failed.first?.error)
            for contents in state.failed.compactMap(\.contents)
            where !failures.unwritten.contains(contents) && !state.writes.contains(where: { $0.contents == contents }) {
                failures.unwritten.append(contents)
                if state.files[contents] == nil { failures.lost.append(contents) }
            }
            state.failed = []
            return failures
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            wake.wait()
            while let job = next() {
                switch job {
                case .write(let contents, let write): perform(write, for: contents)
                case .remove(let numbers): remove(numbers)
                }
                state.withLock { state in
                    state.isWorking = false
                    // Before another thread can see that there is no job: it would not wait for the failures.
                    if !state.failed.isEmpty || !state.hasJobs { event.signal() }
                }
            }
            if state.withLock({ $0.isFinishing }) { break }
        }
        event.signal()
    }

    private func next() -> Job? {
        state.withLock { state in
            guard state.hasJobs else { return nil }
            state.isWorking = true
            guard state.removals.isEmpty, !state.retries else {
                var numbers = state.unneeded
                for contents in state.removals { numbers += state.files.removeValue(forKey: contents) ?? [] }
                (state.removals, state.unneeded, state.retries) = ([], [], false)
                return .remove(numbers)
            }
            let (contents, write) = state.writes.removeFirst()
            return .write(contents, write)
        }
    }

    /// Writes to a temporary name and renames it, so that a numbered file is always complete.
    private func perform(_ write: Write, for contents: PublicationID) {
        let (unfinished, name) = (SpoolDirectory.unfinishedName(write.number), SpoolDirectory.name(write.number))
        do throws(SystemError) {
            var file: OwnedDescriptor?
            try unlessStopped { () throws(SystemError) in
                file = try System.create(unfinished, in: directory.raw, mode: 0o600)
            }
            guard let file else { return }
            try SpoolFile.write(write.description, kept: write.kept, to: file.raw) { isUnwanted(contents) }
            guard !isUnwanted(contents) else { return try unlink(unfinished) }
            try unlessStopped { () throws(SystemError) in
                try System.rename(unfinished, in: directory.raw, to: name, in: directory.raw)
            }
            try synchronize()
            remove(
                state.withLock { state in
                    defer { state.files[contents] = [write.number] }
                    return state.files[contents] ?? []
                }
            )
        } catch {
            state.withLock { $0.failed.append((contents, error)) }
            try? unlink(unfinished)
            remove([write.number])
        }
    }

    /// Whether contents were removed while they are written.
    private func isUnwanted(_ contents: PublicationID) -> Bool {
        isStopped.withLock { $0 } || state.withLock { $0.removals.contains(contents) }
    }

    private func remove(_ numbers: [UInt64]) {
        for number in numbers {
            do throws(SystemError) {
                try unlink(SpoolDirectory.name(number))
            } catch {
                // The next removal tries again.
                state.withLock { state in
                    state.unneeded.append(number)
                    state.failed.append((nil, error))
                }
            }
        }
    }

    private func unlink(_ name: SystemString) throws(SystemError) {
        try unlessStopped { () throws(SystemError) in
            do throws(SystemError) {
                try System.unlink(name, in: directory.raw)
            } catch {
                // A failed write may not have created the file.
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
