import CPasteboardSystem
import Glibc

/// A thread for work that waits in the kernel, which the threads that run tasks must not do.
package final class SystemThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread. All signals are blocked on it, so that they reach the main thread or a `SignalDescriptor`.
    ///
    /// - Parameters:
    ///   - name: the name that debuggers and `ps` show, of which 15 bytes are used.
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

        // A new thread inherits the mask of the thread that starts it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        // The thread takes over the body. If it cannot be created, the body is released here.
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code =
            System.fails("pthread_create")
            ? errno
            : pthread_create(
                &thread,
                &attributes,
                { argument in
                    if let argument {
                        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                        SystemThread.setName(start.name)
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

    /// Names the calling thread. The name of a program's first thread is that of the program in lists of processes.
    package static func setName(_ name: String) {
        _ = pthread_setname_np(pthread_self(), String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    /// Waits for the thread to end. Called at most once, and not on the thread itself.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end without `join`.
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

extension System {
    /// Gives this thread descriptors of its own, with only these of the process. A call to a disk may never return;
    /// then the thread would keep the others open, with their locks, even after the process was killed.
    package static func keepDescriptors(_ kept: [CInt]) {
        let ascending = kept.sorted()
        pbs_keep_descriptors(ascending, CInt(ascending.count))
    }

    /// Gives this thread a copy of the descriptors, which threads that exist already do not share.
    package static func separateDescriptors() {
        pbs_separate_descriptors()
    }
}
