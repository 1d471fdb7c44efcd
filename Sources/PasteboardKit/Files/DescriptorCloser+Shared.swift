import PasteboardTransport

extension DescriptorCloser {
    /// Closes what comes from others and what is given to them: it may be on a dead mount, and its last owner a connection's
    /// thread.
    static let shared = DescriptorCloser()
}
