public import FoundationEssentials

// Loads into files. The bytes need not fit into memory. If the source has a file, the kernel copies it.
extension ItemProvider {
    /// Loads the bytes into a file, or a folder's tree into a folder. The copy exists while `body` runs: to keep it,
    /// move it with ``Loaded/move(to:)``, or copy it.
    ///
    /// The copy is in a new directory, which no other user may enter. That directory is created in `directory`, under a
    /// hidden name: pass the directory where the file is to stay, so that the file need not be copied from one disk to
    /// another.
    ///
    /// The copy is named after ``suggestedName``, with unsafe characters replaced. Without a suggested name it is named
    /// after the source's file. It gets the extension of the type. If the source has made its provider for a file, the
    /// copy keeps the exact name, the permissions and the modification time of that file. If a handler of the source
    /// has returned a file, the copy keeps the permissions of that file, as far as this process's umask allows, unless
    /// the bytes were sent instead of a descriptor, as those of a once-and-kept representation are.
    ///
    /// `body` gets the source's own file instead of a copy, as ``Loaded/isInPlace`` reports, if `openInPlace` is set,
    /// the source has allowed it, both processes are on this machine and it is a regular file. That file may only be
    /// read, and is not removed when `body` returns. NSItemProvider behaves in the same way, except that here a copy is
    /// always removed.
    ///
    /// A folder's symbolic links are unchanged and may lead anywhere; pipes and devices are omitted.
    ///
    /// `body` runs on the caller's actor and may use its state.
    ///
    /// Cancelling the task or `progress` cancels the load, which then throws `cancelled`.
    ///
    /// - Parameters:
    ///   - contentType: the requested type.
    ///   - directory: an existing directory for the copy; nil: the directory for temporary files, `TMPDIR` or `/tmp`.
    ///   - openInPlace: whether the source's own file is accepted.
    ///   - options: the conditions of the load. The timeout does not include `body`.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    ///   - body: receives the file, with the type that the source provided.
    /// - Throws: ``PasteboardError``, with `noSpace` if the disk is full, and the error of `body`. The error of a copy
    ///   that cannot be made names the directory.
    public func withLoadedFile<Result>(
        for contentType: UniformType,
        in directory: URL? = nil,
        openInPlace: Bool = false,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil,
        _ body: (Loaded<URL>) async throws -> Result
    ) async throws -> Result {
        let deadline = options.timeout.map(LoadDeadline.init)
        // Transferring the bytes is only a part of the work: a folder also has to be unpacked.
        let part = progress?.makePart()
        var written: WrittenLoad
        do {
            let representation = try representation(for: contentType, part)
            written = try await write(
                representation,
                in: directory,
                inPlace: openInPlace,
                options,
                progress: part
            )
            if let temporary = written.temporary, let folder = written.folder {
                let archive = written.url
                written.url = try await storing { () throws(PasteboardError) in
                    do throws(PasteboardError) {
                        return try await temporary.unpack(archive, as: folder, deadline, progress)
                    } catch {
                        // Here, because removing a tree may take long.
                        temporary.remove()
                        throw error
                    }
                }
            }
        } catch {
            progress?.end(byteCount: nil)
            throw error
        }
        progress?.end(part)
        let loaded = Loaded(value: written.url, type: written.type, isInPlace: written.temporary == nil)
        guard let temporary = written.temporary else { return try await body(loaded) }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(loaded))
        } catch {
            result = .failure(error)
        }
        // Removing a tree may take long.
        await withTaskExecutorPreference(ThreadPool.files) { temporary.remove() }
        return try result.get()
    }

    /// The bytes of a load, written to a file.
    private struct WrittenLoad: Sendable {
        var url: URL
        let type: UniformType
        /// The directory of the file; nil if it is the source's own.
        var temporary: TemporaryDirectory?
        /// The name of the folder, if the file is its archive.
        var folder: String?
    }

    /// Opens a load, and writes its bytes to a file. At the return the load is released, and with it what the source
    /// has passed, which may be a large file or memory.
    private func write(
        _ representation: ProviderContents.Representation,
        in directory: URL?,
        inPlace: Bool,
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> WrittenLoad {
        let load = try await open(representation, inPlace: inPlace, options, progress: progress)
        if let url = load.inPlace {
            try await load.reader.finish()
            return WrittenLoad(url: url, type: load.type)
        }
        let contents = contents
        return try await storing { () throws(PasteboardError) in
            let temporary = try TemporaryDirectory(in: directory)
            let (url, folder) = try await temporary.write(
                load,
                suggestedName: contents.suggestedName,
                isNamedByFile: contents.fileThatNames != nil
            )
            return WrittenLoad(url: url, type: load.type, temporary: temporary, folder: folder)
        }
    }

    /// Stores loaded bytes, on other threads than those of Swift's tasks, because storing may wait for a disk.
    private func storing<Stored: Sendable>(
        _ body: @concurrent () async throws(PasteboardError) -> Stored
    ) async throws(PasteboardError) -> Stored {
        do throws(PasteboardError) {
            return try await withTaskExecutorPreference(ThreadPool.files, operation: body)
        } catch {
            contents.representations.first?.origin.source?.lose()
            throw error
        }
    }
}
