import Glibc
import PasteboardTransport

/// Deletes the files of moved items, which the destination has confirmed.
struct MovedFiles {
    private(set) var deleted: [InputBytes] = []
    private(set) var failure: CommandFailure?

    /// Deletes the files of items, and prints their names. A file that was changed or replaced since it was opened is
    /// not the file that the destination has, and is kept.
    ///
    /// All files are checked before the first is deleted: if a file has several names, deleting one changes the others.
    mutating func delete(_ items: [InputItem]) throws {
        for input in items.flatMap(\.inputs).filter({ isUnchanged($0) }) {
            guard let path = input.path else { continue }
            do {
                try System.unlink(path)
                deleted.append(input)
            } catch  where error.errno == ENOENT && deleted.contains(where: input.isSameFile) {
                // The file was passed twice.
                continue
            } catch {
                fail(CommandFailure("cannot delete", input.name, error))
                continue
            }
            guard !Invocation.current.isJSON else { continue }
            try StandardStreams.print("deleted \(VisibleText.line(input.name))\n")
        }
    }

    private mutating func isUnchanged(_ input: InputBytes) -> Bool {
        do {
            if try input.isUnchanged() { return true }
            fail(CommandFailure(local: "\(input.name) was not deleted, because it has changed since it was read"))
        } catch {
            fail(CommandFailure("cannot delete", input.name, error))
        }
        return false
    }

    private mutating func fail(_ failure: CommandFailure) {
        self.failure = failure
        failure.report()
    }
}
