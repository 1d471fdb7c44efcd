package import PasteboardTransport
package import PasteboardWire

/// A folder whose tree is archived by the system's `tar`. The names in the archive begin with the folder's own name.
package struct OpenedFolder: Sendable {
    /// The last component of the folder's path, after links are resolved.
    package let name: SystemString
    /// The parent directory of the folder. `tar` runs here.
    private let parent: DescriptorBox
    private let status: FileStatus

    /// - Parameter directory: the open folder.
    package init(_ directory: CInt) throws(Failure) {
        let path: SystemString
        do throws(SystemError) {
            path = try System.linkTarget("/proc/self/fd/\(directory)")
            parent = DescriptorBox(try System.openParent(of: directory))
            status = try System.status(of: directory)
        } catch {
            throw Failure(.sourceFailed, "cannot determine the path of the folder: \(error)")
        }
        guard let name = path.lastComponent else {
            throw Failure(.invalidArgument, "the root directory has no name; choose a folder in it")
        }
        self.name = name
    }

    /// The number of pipes, sockets and devices in the tree, which an unpacked copy of the folder lacks.
    package func countSpecials() -> Int { FileTree.countSpecials(in: parent.raw, name) }

    /// The program that writes the archive to its standard output, which the caller has to set.
    package func archiver() throws(Failure) -> ChildProcess.Configuration {
        let there = try? System.status(at: name, in: parent.raw)
        guard there?.isSameFile(as: status) ?? false else {
            throw Failure(.sourceFailed, "the folder \(name) was moved, replaced or removed meanwhile")
        }
        var configuration = try SystemProgram.configuration("tar", Self.arguments)
        configuration.directory = parent
        configuration.input = .file(try list())
        return configuration
    }

    /// Starts the program that writes the archive to `output`.
    package func archive(to output: CInt) throws(Failure) -> SystemProgram {
        var configuration = try archiver()
        configuration.output = .descriptor(output)
        return try SystemProgram("tar", configuration)
    }

    /// The arguments for the standard format of POSIX, which has times in nanoseconds and names of any length. With
    /// `--null` a name in the list may contain any character.
    package static let arguments = [
        "--create", "--file=-", "--sparse", "--format=posix", "--pax-option=delete=atime,delete=ctime", "--null",
        "--no-unquote", "--files-from=-",
        // Sockets are omitted without a message.
        "--warning=no-file-ignored",
    ]

    /// A file that contains the name to archive. As an argument the name would have to be UTF-8.
    private func list() throws(Failure) -> DescriptorBox {
        do throws(SystemError) {
            let file = try MemoryFile()
            try file.append((name.bytes + [0]).span)
            try System.rewind(file.descriptor.raw)
            return file.descriptor
        } catch {
            throw Failure(.noSpace, "cannot archive the folder: \(error)")
        }
    }
}
