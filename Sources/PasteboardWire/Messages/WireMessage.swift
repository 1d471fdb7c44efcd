/// A message that is the whole payload of a frame.
package protocol WireMessage: ProtobufMessage {
    static var kind: FrameKind { get }
}
