package import PasteboardWire

/// Bytes that code of the program has made.
package struct MadeBytes: Sendable {
    package let bytes: [UInt8]
    /// nil for the bytes themselves.
    package let form: ContentForm?

    package init(_ bytes: [UInt8], form: ContentForm? = nil) {
        self.bytes = bytes
        self.form = form
    }
}
