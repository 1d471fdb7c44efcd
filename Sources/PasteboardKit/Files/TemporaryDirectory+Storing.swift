import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension TemporaryDirectory {
    /// Writes all bytes of a load to a file here. It runs on the pool's threads, because writing may wait for a disk.
    ///
    /// - Parameter isNamedByFile: whether the suggested name is the file's own.
    /// - Returns: the file, and the name of the folder if the file is a folder's archive.
    func write(
        _ load: OpenedLoad,
        suggestedName: String?,
        isNamedByFile: Bool
    ) async throws(PasteboardError) -> (file: URL, folder: String?) {
        let name = SafeFileName(
            suggested: suggestedName ?? load.reader.fileName,
            file: isNamedByFile ? load.file : nil,
            type: load.type
        ).candidate(1)
        let isArchive = load.reader.isArchive
        let file = try LoadedFile(isArchive ? "archive" : name, isArchive ? nil : load.file, in: self)
        try await load.reader.write(to: file)
        try file.finish()
        return (URL(filePath: file.path, directoryHint: .notDirectory), isArchive ? name.description : nil)
    }

    /// Unpacks an archive and renames the folder in it, whose name in the archive is that of the source's folder. It
    /// runs on the pool's threads.
    ///
    /// - Parameters:
    ///   - deadline: the deadline of the load.
    ///   - progress: can cancel the load.
    /// - Returns: the folder.
    func unpack(
        _ archive: URL,
        as name: String,
        _ deadline: LoadDeadline?,
        _ progress: LoadProgress?
    ) async throws(PasteboardError) -> URL {
        let room = "\(path)/tree"
        let input: DescriptorBox
        let folder: UnpackedFolder
        do throws(SystemError) {
            try System.makeDirectory(room)
            folder = UnpackedFolder(in: DescriptorBox(try System.open(room, .directory)))
            input = DescriptorBox(try System.open(archive.path))
            // Removed at once, so that the disk does not hold the contents twice for longer than necessary.
            try System.unlink(archive.path)
        } catch {
            throw failure("cannot create a directory for the loaded folder", error)
        }
        let own: SystemString
        do {
            let program = try folder.unpack(input)
            let isLate = Lock(false)
            let timer = deadline?.timer {
                isLate.withLock { $0 = true }
                program.kill()
            }
            progress?.begin { program.kill() }
            let result = await withTaskCancellationHandler {
                Result { () throws(Failure) in try program.wait() }
            } onCancel: {
                program.kill()
            }
            timer?.cancel()
            guard !Task.isCancelled, progress?.isCancelled != true else { throw PasteboardError.cancelled }
            // A program that was killed need not report it.
            if let deadline, isLate.withLock(\.self) { throw deadline.error }
            do throws(Failure) {
                try result.get()
            } catch {
                throw Failure(
                    error.code,
                    "the loaded folder cannot be unpacked in \(parent): \(error.text)"
                )
            }
            own = try folder.finish()
        } catch {
            throw PasteboardError(ofLoad: error)
        }
        do throws(SystemError) {
            // Renamed within the room: it could be moved elsewhere only if its owner may write to it.
            try System.rename(own, in: folder.room.raw, to: SystemString(name), in: folder.room.raw)
        } catch {
            throw failure("cannot rename the loaded folder", error)
        }
        return URL(filePath: "\(room)/\(name)", directoryHint: .isDirectory)
    }
}

extension LoadReader {
    /// Writes all bytes to `output`. The bytes of a file are copied, inside the kernel if possible.
    func write(to output: LoadedFile) async throws(PasteboardError) {
        if let file = (source as? FileChunks)?.file {
            return try await readAll { isOver in try output.fill(from: file, isOver: isOver) }
        }
        while let chunk = try await next() { try output.append(chunk) }
    }

    /// Completes a load whose bytes are not needed.
    func finish() async throws(PasteboardError) {
        guard source is FileChunks else { return }
        try await readAll { _ in }
    }
}
