import PasteboardWire

/// The rules that every frame of a client must keep, whatever the exchange.
package struct ClientAudit {
    package static let rules: Set = ["C1", "F2", "F3", "F5", "M3", "O2", "S1", "S8", "S9", "U2"]

    /// The rules that a frame so far could have broken.
    package private(set) var judged: Set<String> = []
    private var streams: Set<UInt64> = []
    private var highest: UInt64 = 0
    private var credits: [UInt64: UInt64] = [:]
    private var isFirst = true

    package init() {}

    /// Records that the broker has opened a stream, or has sent a frame on it.
    package mutating func used(_ stream: UInt64) {
        streams.insert(stream)
    }

    /// Returns the rules that the frame breaks, each with the reason.
    package mutating func judge(_ frame: ReceivedFrame) -> [(rule: String, text: String)] {
        var broken: [(String, String)] = []
        let header = frame.header
        defer { isFirst = false }
        judged.formUnion(["C1", "F2", "F3", "F5", "S8", "U2"])
        if isFirst != (header.kind == .hello) || isFirst && (header.stream != 0 || header.length > 4096) {
            broken.append(("C1", "\(frame.text) is \(isFirst ? "the first" : "a later") frame"))
        }
        if header.flags.rawValue & ~3 != 0 {
            broken.append(("F2", "\(frame.text) has the flags \(header.flags.rawValue)"))
        }
        if header.kind != .data, header.length > UInt32(WireLimits.controlLength) {
            broken.append(("F3", "\(frame.text) has \(header.length) bytes"))
        }
        if header.version != FrameHeader.version {
            broken.append(("F5", "\(frame.text) has the version \(header.version)"))
        }
        if header.descriptorCount != 0 { broken.append(("U2", "\(frame.text) passes a descriptor")) }
        guard let kind = header.kind else { return broken }
        guard kind.fits(StreamID(header.stream).sort) else { return broken + [("S8", "\(frame.text) is not allowed")] }
        if let type = kind.message {
            judged.insert("M3")
            do {
                _ = try type.init(decoding: frame.payload)
            } catch {
                broken.append(("M3", "\(frame.text) is malformed: \(error)"))
            }
        }
        judged.insert(kind.opensStream ? "S1" : "S9")
        if kind.opensStream {
            if header.stream <= highest {
                broken.append(("S1", "\(frame.text) has an id that is not above \(highest)"))
            }
            highest = max(highest, header.stream)
            streams.insert(header.stream)
        } else if header.stream != 0, !streams.contains(header.stream) {
            broken.append(("S9", "\(frame.text) is on a stream that was never opened"))
        }
        if kind == .credit, let offset = (try? Credit(decoding: frame.payload))?.offset {
            judged.insert("O2")
            if offset < credits[header.stream] ?? 0 { broken.append(("O2", "\(frame.text) reduces the credit")) }
            credits[header.stream] = offset
        }
        return broken
    }
}
