import PasteboardTransport

/// Calls to a disk, which may never return, on a thread of their own.
enum DiskCall {
    /// Calls `body` on a thread, and waits for its result; nil if it takes longer, or no thread can be started.
    ///
    /// - Parameters:
    ///   - descriptors: those that `body` uses; nil for all, before the process has any that others wait for.
    ///   - body: is passed whether the caller still waits. If not, nothing must be changed any more.
    static func run<Result: Sendable>(
        milliseconds: Int,
        with descriptors: [CInt]?,
        _ body: @escaping @Sendable (_ isWaiting: () -> Bool) -> Result
    ) -> Result? {
        let state = Lock<(result: Result?, isAbandoned: Bool)>((nil, false))
        let done = Semaphore()
        do throws(SystemError) {
            try SystemThread(name: "pb-disk") {
                if let descriptors { System.keepDescriptors(descriptors) }
                let result = body { state.withLock { !$0.isAbandoned } }
                state.withLock { $0.result = result }
                done.signal()
            }.detach()
        } catch {
            return nil
        }
        if !done.wait(milliseconds: milliseconds), descriptors == nil {
            // The thread keeps the present table of descriptors, and the process gets a copy.
            System.separateDescriptors()
        }
        return state.withLock { state in
            state.isAbandoned = true
            return state.result
        }
    }
}
