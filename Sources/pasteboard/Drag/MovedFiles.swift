import PasteboardTransport

/// The files of items that were moved: the destination has them, and so they are deleted here.
struct MovedFiles {
    private(set) var failure: CommandFailure?

    /// Deletes the file that an item is, and tells of it. What was changed or replaced since it was opened
    /// is not what the destination has, and stays.
    mutating func delete(_ item: InputItem) throws {
        for (_, input) in item.representations {
            do {
                guard try input.isUnchanged() else {
                    self.failure = CommandFailure(local: "\(input.name) has changed meanwhile, and was not deleted")
                    self.failure?.report(command: DragCommand.syntax.name)
                    continue
                }
                if let path = input.path { try System.unlink(path) }
            } catch {
                self.failure = CommandFailure("cannot delete", input.name, error)
                self.failure?.report(command: DragCommand.syntax.name)
                continue
            }
            try StandardStreams.print("deleted \(VisibleText.line(input.name))\n")
        }
    }
}
