import CPasteboardSystem
import Glibc

/// A descriptor that reports when a directory, or a file in it, has been removed or renamed.
package struct DirectoryWatch: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Readable after such an event.
    package var raw: CInt { descriptor.raw }

    package init(_ directory: String) throws(SystemError) {
        let flags = CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)
        let watch = OwnedDescriptor(adopting: try System.call("inotify_init") { inotify_init1(flags) })
        let events = UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        _ = try System.call("inotify_add_watch", directory) { inotify_add_watch(watch.raw, directory, events) }
        descriptor = watch
    }

    /// Makes the descriptor unreadable until the next event. The caller checks which files still exist.
    package func drain() {
        while let bytes = try? System.read(descriptor.raw, upTo: 4096), !bytes.isEmpty {}
    }
}
