import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// What was loaded, as a file or folder.
struct StoredLoad: Sendable {
    let url: URL
    private let place: TemporaryPlace

    /// Takes all bytes of a load. On the pool's threads: writing may wait for a disk.
    ///
    /// - Parameters:
    ///   - deadline: when it has to be over.
    ///   - progress: cancels it.
    init(
        _ load: OpenedLoad,
        suggestedName: String?,
        deadline: LoadDeadline?,
        progress: LoadProgress?
    ) async throws(PasteboardError) {
        let name = SafeFileName(suggested: suggestedName ?? load.fileName, type: load.type).candidate(1)
        // No safe name begins with a dot.
        let file = try LoadedFile(load.isArchive ? ".archive" : name)
        try await load.chunks.source.makeReader().write(to: file)
        place = file.place
        guard load.isArchive else {
            url = URL(filePath: file.path, directoryHint: .notDirectory)
            return
        }
        let folder = "\(place.path)/\(name)"
        try await Self.unpack(file.path, to: folder, deadline, progress)
        url = URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// Whoever has loaded it is done with it.
    func remove() {
        place.remove()
    }

    /// The names in the archive begin with that of the source's folder, which has another one here. The system's `tar`
    /// refuses those that lead elsewhere.
    private static func unpack(
        _ archive: String,
        to folder: String,
        _ deadline: LoadDeadline?,
        _ progress: LoadProgress?
    ) async throws(PasteboardError) {
        do throws(SystemError) {
            try System.makeDirectory(folder)
        } catch {
            throw TemporaryPlace.failure("cannot make a folder for what is loaded", error)
        }
        let program = try SystemProgram(
            "tar",
            // The folder is meant as it is called, whatever characters that has.
            ["--extract", "--no-unquote", "--file=\(archive)", "--directory=\(folder)", "--strip-components=1"]
                + ["--no-same-owner", "--no-same-permissions"]
        )
        let isLate = Lock(false)
        let timer = deadline?.timer {
            isLate.withLock { $0 = true }
            program.kill()
        }
        progress?.begin { program.kill() }
        let result = await withTaskCancellationHandler {
            Result { () throws(PasteboardError) in try program.wait() }
        } onCancel: {
            program.kill()
        }
        timer?.cancel()
        guard !Task.isCancelled, progress?.isCancelled != true else { throw .cancelled }
        if let deadline, isLate.withLock({ $0 }) { throw deadline.error }
        do throws(PasteboardError) {
            try result.get()
        } catch {
            throw PasteboardError(.refused, message: "the folder that is loaded cannot be unpacked: \(error.message)")
        }
    }
}
