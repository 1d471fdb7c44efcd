package import PasteboardClient
package import PasteboardTransport
package import PasteboardWire
import TypeIdentifiers

/// The files of a list that a program of the desktop has copied, which are promised beside the list.
package struct DesktopFiles: Sendable {
    /// Returns the promises of files; nil if one of them cannot be read, or there are too many. It may block.
    package typealias Promising = @Sendable (_ paths: [SystemString], Loop) -> DesktopFiles?

    /// The longest list, in bytes.
    private static let longestList = 1 << 20
    /// Whether the files of a list are examined. A file system that hangs holds one thread, and not more.
    private static let isExamining = Lock(false)

    /// The items after that of the list.
    let items: [Item]
    /// Answers asks for them.
    let answer: AskStream.Handler
    /// Ends the asks that are under way.
    let stop: @Sendable () async -> Void

    package init(items: [Item], answer: @escaping AskStream.Handler, stop: @escaping @Sendable () async -> Void) {
        (self.items, self.answer, self.stop) = (items, answer, stop)
    }

    /// The name by which contents have a list of files; nil if they have none.
    static func list(in contents: DesktopContents) -> String? {
        contents.names.first { name in FileList.types.contains { $0.names.contains(name.lowercased()) } }
    }

    /// Reads a list of files.
    ///
    /// - Returns: nil if it names no files of this machine, or that cannot be found out in time.
    static func read(
        _ list: String,
        of contents: DesktopContents,
        on loop: Loop,
        _ promising: @escaping Promising
    ) async -> DesktopFiles? {
        let box = Mailbox<DesktopFiles?>(on: loop)
        Task(executorPreference: loop) {
            let bytes = Lock<[UInt8]>([])
            do {
                try await contents.transfer(list) { part in
                    let count = bytes.withLock { bytes in
                        bytes += part
                        return bytes.count
                    }
                    guard count <= longestList else { throw Failure(.tooLarge, "the list of files is too long") }
                }
            } catch {
                return box.put(nil)
            }
            guard let paths = FileList(parsing: bytes.withLock(\.self))?.paths,
                !isExamining.withLock({ exchange(&$0, with: true) })
            else { return box.put(nil) }
            // Not on the thread of the loop.
            let files = await Task.detached {
                defer { isExamining.withLock { $0 = false } }
                return promising(paths, loop)
            }.value
            box.put(files)
        }
        return await box.next(until: MonotonicClock.deadline(milliseconds: DesktopTime.list)) ?? nil
    }
}
