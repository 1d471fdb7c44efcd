import CPasteboardSystem
import Glibc

/// A thread of its own, for what waits in the kernel: that may not happen on the threads that run tasks.
package final class SystemThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread. All signals are blocked on it: they belong to the main thread, or to whoever reads them.
    ///
    /// - Parameters:
    ///   - name: as debuggers and `ps` show it, at most 15 bytes of it.
    ///   - stackSize: in bytes.
    package init(
        name: String,
        stackSize: Int = 512 * 1024,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, max(stackSize, 64 * 1024))

        // A new thread takes over the mask of the one that starts it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        // The thread takes the body over; if there is no thread, it is released here.
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            &attributes,
            { argument in
                if let argument {
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                    _ = pthread_setname_np(pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
                    start.body()
                }
                return nil
            },
            start.toOpaque()
        )
        if code != 0 {
            start.release()
            throw SystemError(call: "pthread_create", errno: code, subject: name)
        }
        handle = thread
    }

    /// Waits for the thread to end. Called at most once, and not on the thread itself.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread go its own way. Called instead of `join`.
    package func detach() {
        pthread_detach(handle)
    }

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
