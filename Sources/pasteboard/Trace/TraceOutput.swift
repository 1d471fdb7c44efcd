import PasteboardClient
import PasteboardTransport

/// The lines of a trace: standard error, or a file.
final class TraceOutput {
    private let file: DescriptorBox?
    private let path: SystemString?
    /// Whether a line could not be written.
    private var hasFailed = false

    init() {
        file = nil
        path = nil
    }

    /// Creates the file, or empties it. Other users cannot read a new one.
    init(path: SystemString) throws(CommandFailure) {
        do throws(SystemError) {
            file = DescriptorBox(try System.open(path, [.writing, .creating, .truncating]))
        } catch {
            throw CommandFailure("cannot write", path, error)
        }
        self.path = path
    }

    /// Prints lines. The traced program continues if that fails. A failure of the file is noted once on standard error.
    func print(_ lines: String) {
        guard !lines.isEmpty else { return }
        do throws(SystemError) {
            try System.write(Array(lines.utf8).span, to: file?.raw ?? 2)
        } catch {
            if !hasFailed, let path {
                let text = "pasteboard: trace: cannot write \(path): \(error.reason); lines are missing there"
                StandardStreams.note(text)
            }
            hasFailed = true
        }
    }
}
