public import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension Loaded where Value == URL {
    /// Moves the loaded copy, a file or a folder, to its final name. It never replaces an existing file.
    ///
    /// The copy keeps its permissions and modification time. On the same disk it is only renamed, so load it into the
    /// directory where it is to stay:
    /// ``ItemProvider/withLoadedFile(for:in:openInPlace:options:progress:_:)``. To
    /// another disk it is copied under a hidden name beside its destination and renamed when it is complete, so that no
    /// process sees an incomplete file under the final name. Cancelling the task stops the copying and throws
    /// `cancelled`.
    ///
    /// On a file system that cannot rename exclusively (without `RENAME_NOREPLACE`, such as NFS), an empty file or
    /// folder reserves the name until the rename, so other processes may see it for a moment, and a file that one of
    /// them puts in its place in that moment is replaced.
    ///
    /// - Parameter destination: the URL of the new file or folder itself, in an existing directory.
    /// - Throws: ``PasteboardError``: `refused` if a file or directory of this name exists, if this is the source's own
    ///   file (``isInPlace``), or if the system refuses; `noSpace` if the other disk is full; `invalidArgument` if
    ///   `destination` is not a file URL with an absolute path. Copying to another disk is refused, too, in a process
    ///   that ignores `SIGCHLD`: it could not know whether the copy is complete.
    public func move(to destination: URL) async throws(PasteboardError) {
        let path = try destination.localPath("cannot move the loaded \(value.path) to")
        guard !isInPlace else {
            throw failure(.refused, path, "it is the source's own file; copy it, or load it as a copy")
        }
        do {
            // Renaming and copying may wait for a disk.
            let isMoved = try await withTaskExecutorPreference(ThreadPool.files) {
                try await Self.move(value.path, to: SystemString(path))
            }
            if isMoved { return }
        } catch {
            throw failure(error, path)
        }
        let isDirectory = (try? System.status(at: path))??.kind == .directory
        let file = destination.appending(path: value.lastPathComponent).path
        throw failure(
            .refused,
            path,
            isDirectory
                ? "that path is a directory; name the file in it: \(file)"
                : "that name is already taken; choose another"
        )
    }

    /// Moves the loaded copy into a directory, as ``move(to:)`` does, under its own name or, if that is taken, under
    /// the first of `name 2`, `name 3` and so on that is free.
    ///
    /// - Returns: the URL of the file.
    package func move(into directory: URL) async throws(PasteboardError) -> URL {
        let name = SafeFileName(ofFile: SystemString(value.lastPathComponent))
        var number = 1
        while true {
            let url = directory.appending(path: name.candidate(number).description)
            do throws(PasteboardError) {
                try await move(to: url)
                return url
            } catch {
                let isTaken = error.code == .refused && (try? System.status(at: url.path)) ?? nil != nil
                guard isTaken, number < 10_000 else { throw error }
                number += 1
            }
        }
    }

    /// - Returns: false if the new name is taken.
    private static func move(_ path: String, to destination: SystemString) async throws -> Bool {
        do throws(SystemError) {
            return try FileMove.rename(SystemString(path), to: destination)
        } catch {
            guard error.isAcrossDisks else { throw error }
        }
        // Checked before the bytes are copied.
        guard try System.status(at: destination) == nil else { return false }
        let copy = try FileMove.Copy(of: path, to: destination)
        let result = await withTaskCancellationHandler {
            Result { () throws(Failure) in try copy.wait() }
        } onCancel: {
            copy.kill()
        }
        guard !Task.isCancelled else { throw CancellationError() }
        try result.get()
        return try copy.keep()
    }

    private func failure(_ error: any Error, _ destination: String) -> PasteboardError {
        switch error {
        case is CancellationError:
            failure(.cancelled, destination, "the task was cancelled")
        case let error as SystemError where error.isMissing && (try? System.status(at: value.path)) == .some(nil):
            failure(.refused, destination, "the file no longer exists; it can be moved once, in the body of its load")
        case let error as SystemError:
            failure(PasteboardError.Code(error), destination, "\(error)", short: "\(error.withoutDirectory)")
        case let error as Failure:
            failure(PasteboardError.Code(rawValue: error.code.rawValue), destination, error.text)
        default:
            failure(.refused, destination, "\(error)")
        }
    }

    private func failure(
        _ code: PasteboardError.Code,
        _ destination: String,
        _ reason: String,
        short: String? = nil
    ) -> PasteboardError {
        var error = PasteboardError(
            code,
            message: "cannot move the loaded \(value.path) to \(destination): \(reason)"
        )
        error.shortMessage = "cannot move the loaded \(value.lastPathComponent)" + (short.map { ": \($0)" } ?? "")
        return error
    }
}
