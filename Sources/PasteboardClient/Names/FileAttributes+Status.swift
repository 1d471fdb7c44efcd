package import PasteboardTransport
package import PasteboardWire

extension FileAttributes {
    /// The mode and time of a file or folder for whoever makes a copy of it, without its name.
    package init(of status: FileStatus) {
        self.init()
        self.mode = status.mode & Self.permissions
        let (seconds, rest) = status.modifiedAt.quotientAndRemainder(dividingBy: 1_000_000_000)
        // Before 1970 the nanoseconds count from the second before.
        self.modifiedSeconds = UInt64(bitPattern: rest < 0 ? seconds - 1 : seconds)
        self.modifiedNanoseconds = UInt32(rest < 0 ? rest + 1_000_000_000 : rest)
    }

    /// The name as text that can be suggested: spelled as it is, but for what is not UTF-8 or would do harm.
    package var suggestion: String? {
        self.name.map { SafeFileName(ofFile: SystemString($0)).candidate(1).description }
    }
}
