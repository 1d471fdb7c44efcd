package import PasteboardWire

/// Prints the frames of a connection on standard error, one line each, if the environment variable `PASTEBOARD_DEBUG`
/// is `frames`.
///
/// Frames that are sent are printed when they are queued for the socket. A program that runs with the privileges of
/// another user ignores the variable, because its output may go to the user who started it.
package struct FrameLog: Sendable {
    package static let variable = "PASTEBOARD_DEBUG"

    /// Standard error as it was at the first use. Later, the number may belong to another file of the program.
    private static let output: DescriptorBox? = {
        guard let stream = try? System.duplicate(2) else { return nil }
        return DescriptorBox(stream)
    }()

    /// Whether the variable asks for the frames.
    package static let isWanted: Bool = {
        guard let value = System.secureEnvironment(variable), !value.isEmpty else { return false }
        if value == "frames" { return true }
        print("pasteboard: \(variable) is '\(value.visible)' and is ignored; the only value is frames\n")
        return false
    }()

    /// A log for a new connection; nil unless the variable asks for it.
    package static var ofEnvironment: FrameLog? { isWanted && output != nil ? FrameLog() : nil }

    private var received = FrameReader()
    private var sent = FrameReader()

    /// Prints frames that follow each other, all of them whole.
    package mutating func sends(_ frames: Span<UInt8>) {
        Self.print(Self.lines(.toBroker, frames, &sent))
    }

    /// Prints a `data` frame.
    package func sends(_ header: FrameHeader) {
        Self.print(FrameLine(.toBroker, FrameDescription(header, payload: Span()).text).line)
    }

    /// Prints that the system has refused to pass the descriptor of a frame, which was not sent therefore.
    package func refuses(_ stream: UInt64) {
        Self.print(FrameLine(.toBroker, "#\(stream) not sent: the system refused to pass the descriptor").line)
    }

    /// Prints what a stream waits for.
    package static func waits(_ text: String) {
        print(FrameLine(.wait, text).line)
    }

    /// Prints the whole frames in the bytes. The rest is to be passed again, with those after it.
    package mutating func receives(_ bytes: Span<UInt8>) {
        Self.print(Self.lines(.fromBroker, bytes, &received))
    }

    private static func lines(
        _ direction: FrameLine.Direction,
        _ bytes: Span<UInt8>,
        _ reader: inout FrameReader
    ) -> String {
        var text = ""
        var offset = 0
        do throws(Failure) {
            while let frame = try reader.next(in: bytes, at: &offset) {
                text += FrameLine(direction, frame.text).line
            }
        } catch {
            text += FrameLine(direction, "not a frame: \(error.text.visible)").line
        }
        return text
    }

    private static func print(_ text: String) {
        // A program may run without standard error, and need not ignore the signal of a closed pipe.
        guard !text.isEmpty, let output else { return }
        try? System.write(Array(text.utf8).span, to: output.raw, raisesSignal: false)
    }
}
