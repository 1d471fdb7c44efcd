import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file for loaded bytes, which is removed together with its ``TemporaryDirectory``.
struct LoadedFile: Sendable {
    let temporary: TemporaryDirectory
    let path: String
    private let descriptor: DescriptorBox
    private let attributes: FileAttributes?

    /// - Parameter attributes: the attributes of the original file.
    init(_ name: SystemString, _ attributes: FileAttributes?, in temporary: TemporaryDirectory) throws(PasteboardError)
    {
        self.temporary = temporary
        path = "\(temporary.path)/\(name)"
        self.attributes = attributes
        // This process has to be able to read its copy, whatever mode the source has sent.
        let mode = (attributes?.copyMode ?? 0o600) | 0o400
        do throws(SystemError) {
            let directory = try System.open(temporary.path, [.nameOnly, .directory])
            // The name as the path shows it: a name that is not text would differ from that of the URL.
            let shown = SystemString(name.description)
            descriptor = DescriptorBox(try System.create(shown, in: directory.raw, mode: mode))
        } catch {
            throw temporary.failure("cannot create a file for the loaded bytes", error)
        }
    }

    func append(_ data: Data) throws(PasteboardError) {
        do {
            try System.write(data.span, to: descriptor.raw)
        } catch {
            throw temporary.failure("cannot write the loaded bytes", error)
        }
    }

    /// Sets the modification time of the original, once all bytes are written.
    func finish() throws(PasteboardError) {
        do throws(SystemError) {
            try attributes?.setModificationTime(of: descriptor.raw)
        } catch {
            throw temporary.failure("cannot set the modification time of the loaded file", error)
        }
    }

    /// Removes the permissions that the source's own file has lost meanwhile. The mode of shared memory has no meaning.
    private func narrow(to file: PassedFile) throws(PasteboardError) {
        guard attributes?.mode != nil, !file.isImmutable else { return }
        do throws(SystemError) {
            let mode = try System.status(of: file.descriptor.raw).mode | 0o400
            try System.setMode(try System.status(of: descriptor.raw).mode & mode, of: descriptor.raw)
        } catch {
            throw temporary.failure("cannot set the permissions of the loaded file", error)
        }
    }

    /// Copies a file that arrived as a descriptor, inside the kernel if possible.
    func fill(from file: PassedFile, isOver: () -> Bool) throws(PasteboardError) {
        try narrow(to: file)
        do {
            try file.copy(to: descriptor.raw) { _ in
                if isOver() { throw PasteboardError.cancelled }
            } write: {
                try System.write($0, to: descriptor.raw)
            }
        } catch let failure as Failure {
            throw PasteboardError(failure)
        } catch let error as PasteboardError {
            throw error
        } catch {
            throw temporary.failure("cannot write the loaded bytes", error)
        }
    }
}
