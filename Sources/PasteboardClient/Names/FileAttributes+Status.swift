package import PasteboardTransport
package import PasteboardWire

extension FileAttributes {
    /// The mode and modification time of a file or folder, without its name, for programs that make a copy of it.
    package init(of status: FileStatus) {
        self.init()
        mode = status.mode & Self.permissions
        let (seconds, rest) = status.modifiedAt.quotientAndRemainder(dividingBy: 1_000_000_000)
        // Before 1970 the nanoseconds count from the preceding second.
        modifiedSeconds = rest < 0 ? seconds - 1 : seconds
        modifiedNanoseconds = UInt32(rest < 0 ? rest + 1_000_000_000 : rest)
    }

    /// Sets the modification time of an open copy of the file, if the time is known.
    package func setModificationTime(of copy: CInt) throws(SystemError) {
        guard let seconds = modifiedSeconds else { return }
        try System.setModificationTime(seconds: seconds, nanoseconds: modifiedNanoseconds ?? 0, of: copy)
    }

    /// The name as text for a suggestion. Invalid UTF-8 and unsafe characters are replaced.
    package var suggestion: String? {
        name.map { SafeFileName(ofFile: SystemString($0)).candidate(1).description }
    }
}
