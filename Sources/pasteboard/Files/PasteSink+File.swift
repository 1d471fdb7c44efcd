import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension PasteSink {
    /// Writes all bytes of a file, on request without a newline at its end.
    ///
    /// - Parameter check: called repeatedly; an error that it throws ends the copy.
    func write(_ file: PassedFile, trimsNewline: Bool, check: () throws -> Void) throws {
        do {
            // The passed file may have lost permissions since it was listed. The mode of shared memory has no meaning.
            if !file.isImmutable, let status = try? System.status(of: file.descriptor.raw) {
                try narrow(to: status.mode)
            }
            let isTrimmed = trimsNewline ? try file.endsWithNewline() : false
            try file.copy(isTrimmed ? file.byteCount - 1 : file.byteCount, to: descriptor, check: check) {
                try write($0)
            }
        } catch let error as SystemError {
            throw failure(error)
        }
    }
}
