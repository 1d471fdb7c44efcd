import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// What was loaded, as a file or folder.
struct StoredLoad: Sendable {
    let url: URL
    private let place: TemporaryPlace

    /// Takes all bytes of a load. On the pool's threads: writing may wait for a disk.
    ///
    /// - Parameters:
    ///   - isNamedByFile: whether the name that is suggested is the file's own.
    ///   - deadline: when it has to be over.
    ///   - progress: cancels it.
    init(
        _ load: OpenedLoad,
        suggestedName: String?,
        isNamedByFile: Bool,
        deadline: LoadDeadline?,
        progress: LoadProgress?
    ) async throws(PasteboardError) {
        let name = SafeFileName(
            suggested: suggestedName ?? load.fileName,
            file: isNamedByFile ? load.file : nil,
            type: load.type
        ).candidate(1)
        let file = try LoadedFile(load.isArchive ? "archive" : name, load.isArchive ? nil : load.file)
        try await load.chunks.source.makeReader().write(to: file)
        try file.finish()
        place = file.place
        guard load.isArchive else {
            url = URL(filePath: file.path, directoryHint: .notDirectory)
            return
        }
        let folder = try await Self.unpack(
            file.path,
            in: "\(place.path)/tree",
            as: name.description,
            deadline,
            progress
        )
        url = URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// Whoever has loaded it is done with it.
    func remove() {
        place.remove()
    }

    /// The names in the archive begin with that of the source's folder, which has another one here.
    private static func unpack(
        _ archive: String,
        in room: String,
        as name: String,
        _ deadline: LoadDeadline?,
        _ progress: LoadProgress?
    ) async throws(PasteboardError) -> String {
        let input: DescriptorBox
        let folder: UnpackedFolder
        do throws(SystemError) {
            try System.makeDirectory(room)
            folder = UnpackedFolder(in: DescriptorBox(try System.open(room, .directory)))
            input = DescriptorBox(try System.open(archive))
            // The disk need not hold it twice for longer than this takes.
            try System.unlink(archive)
        } catch {
            throw TemporaryPlace.failure("cannot make a folder for what is loaded", error)
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
            if let deadline, isLate.withLock({ $0 }) { throw deadline.error }
            do throws(Failure) {
                try result.get()
            } catch {
                throw Failure(.refused, "the folder that is loaded cannot be unpacked: \(error.text)")
            }
            own = try folder.finish()
        } catch {
            throw PasteboardError(ofLoad: error)
        }
        do throws(SystemError) {
            // Within the room: to move it elsewhere its owner would have to be allowed to write to it.
            try System.rename(own, in: folder.room.raw, to: SystemString(name), in: folder.room.raw)
        } catch {
            throw TemporaryPlace.failure("cannot name the folder that is loaded", error)
        }
        return "\(room)/\(name)"
    }
}
