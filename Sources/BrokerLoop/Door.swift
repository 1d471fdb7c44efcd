import PasteboardTransport

/// Something besides connections that the loop waits for.
package protocol Door: AnyObject {
    var descriptor: CInt { get }
    /// It became readable.
    func opened(in loop: inout BrokerLoop)
    /// The broker drains: whatever lets new connections in has to close.
    func closes(in loop: inout BrokerLoop)
}
