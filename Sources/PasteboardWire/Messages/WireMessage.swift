/// A message that is the payload of a frame of its own.
package protocol WireMessage: ProtobufMessage {
    static var kind: FrameKind { get }
}
