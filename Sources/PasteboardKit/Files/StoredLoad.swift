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
        let folder = try await Self.unpack(file.path, in: "\(place.path)/tree", as: name, deadline, progress)
        url = URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// Whoever has loaded it is done with it.
    func remove() {
        place.remove()
    }

    /// The names in the archive begin with that of the source's folder, which has another one here. Nothing of it is taken
    /// on trust: the system's `tar` refuses names that lead elsewhere, as long as it is not to change them.
    private static func unpack(
        _ archive: String,
        in room: String,
        as name: String,
        _ deadline: LoadDeadline?,
        _ progress: LoadProgress?
    ) async throws(PasteboardError) -> String {
        let input: DescriptorBox
        do throws(SystemError) {
            try System.makeDirectory(room)
            input = DescriptorBox(try System.open(archive))
            // The disk need not hold it twice for longer than this takes.
            try System.unlink(archive)
        } catch {
            throw TemporaryPlace.failure("cannot make a folder for what is loaded", error)
        }
        // From its standard input it unpacks an archive as it is, and no compressed one, however small that was.
        let program = try SystemProgram(
            "tar",
            ["--extract", "--file=-", "--no-same-owner", "--no-same-permissions"],
            in: room,
            input: input.raw
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
        try removeSpecials(in: room)
        return try rename(theOneFolderOf: room, to: name)
    }

    /// Pipes and devices are nothing that a reader of the tree should come upon.
    private static func removeSpecials(in room: String) throws(PasteboardError) {
        let arguments = [".", "!", "-type", "f", "!", "-type", "d", "!", "-type", "l", "-delete"]
        do throws(PasteboardError) {
            try SystemProgram("find", arguments, in: room).wait()
        } catch {
            // In a folder that its owner may not write to.
            try SystemProgram("chmod", ["-R", "u+rwX", "."], in: room).wait()
            try SystemProgram("find", arguments, in: room).wait()
        }
    }

    /// Within its parent: to move it elsewhere its owner would have to be allowed to write to it.
    private static func rename(theOneFolderOf room: String, to name: String) throws(PasteboardError) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: room)) ?? []
        guard names.count == 1, (try? System.status(at: "\(room)/\(names[0])"))??.kind == .directory else {
            let text = "the archive that came has \(names.count) things at its top, where one folder was to be"
            throw PasteboardError(.sourceFailed, message: text)
        }
        do throws(SystemError) {
            try System.rename("\(room)/\(names[0])", to: "\(room)/\(name)")
        } catch {
            throw TemporaryPlace.failure("cannot name the folder that is loaded", error)
        }
        return "\(room)/\(name)"
    }
}
