import PasteboardWire

/// The rules that every frame of a broker must keep, whatever the exchange. One for each connection.
package struct BrokerAudit {
    package static let rules: Set = ["C9", "F2", "F3", "F5", "M3", "M8", "S8", "S9", "U3"]

    /// The fields that a broker must send even if they are 0 (M8), by message.
    package static let required: [String: Set<String>] = [
        "Welcome": ["version", "epoch"],
        "Committed": ["change_count", "epoch"],
        "Contents": ["change_count", "epoch"],
        "Change": ["change_count", "epoch"],
        "Representation": ["type", "visibility", "provision"],
        "Ask": ["handle", "item", "representation", "type", "credit"],
        "Answer": ["handle", "item", "type", "item_count"],
        "Session": ["destination", "handle", "version", "item_count", "allows_move", "is_restricted"],
        "SessionEnter": ["sequence", "version"],
        "SessionUpdate": ["sequence", "version"],
        "Perform": ["operation", "version"],
        "Proposal": ["sequence", "operation"],
        "Dropped": ["operation"],
        "Transferred": ["operation"],
        "Failure": ["code", "text"],
    ]

    /// Further ones of a message with a `handle`: the board is not empty.
    package static let requiredWithHandle: [String: Set<String>] = [
        "Contents": ["item_count", "version"],
        "Change": ["item_count", "version"],
    ]

    /// Whether a broker must send the field even if it is 0.
    static func requires(_ field: String, in message: String) -> Bool {
        required[message]?.contains(field) == true || requiredWithHandle[message]?.contains(field) == true
    }

    /// The rules that a frame so far could have broken.
    private(set) var judged: Set<String> = []
    private let schema = ProtocolSchema.shipped
    private var hasFailed = false

    /// Returns the rules that the frame breaks, each with the reason.
    ///
    /// - Parameter highest: the highest stream that the client has opened.
    mutating func judge(_ frame: ReceivedFrame, highest: UInt64) -> [BrokenRule] {
        var broken: [BrokenRule] = []
        let header = frame.header
        func find(_ rule: String, _ text: String) {
            broken.append(BrokenRule(rule: rule, text: "\(frame.text) \(text)"))
        }
        judged.formUnion(["C9", "F2", "F3", "F5"])
        if hasFailed { find("C9", "follows an error on stream 0") }
        if header.flags.rawValue & ~3 != 0 { find("F2", "has the flags \(header.flags.rawValue)") }
        if header.length > UInt32(header.kind == .data ? WireLimits.dataLength : WireLimits.controlLength) {
            find("F3", "has \(header.length) bytes")
        }
        if header.version != FrameHeader.version { find("F5", "has the version \(header.version)") }
        guard let kind = header.kind else { return broken }
        hasFailed = hasFailed || kind == .error && header.stream == 0
        judged.formUnion(["S8", "S9"])
        let sort = StreamID(header.stream).sort
        if !schema.letsBroker(send: kind, on: sort), kind != .welcome || header.stream != 0 {
            find("S8", "is no frame of a broker on this sort of stream")
        }
        if sort == .request, header.stream > highest { find("S9", "is on a stream that the client has not opened") }
        if header.descriptorCount > 0 {
            judged.insert("U3")
            let isLast = kind == .answer && header.flags.contains(.last)
            if header.descriptorCount > 1 || !isLast && kind != .welcome {
                find("U3", "must not announce a descriptor")
            }
        }
        guard let type = kind.message, let message = schema.message(of: kind) else { return broken }
        judged.formUnion(["M3", "M8"])
        do throws(Failure) {
            _ = try type.init(decoding: frame.payload)
        } catch {
            find("M3", "is malformed: \(error.text)")
            return broken
        }
        let missing = self.missing(in: frame.payload, 0..<frame.payload.count, message)
        if !missing.isEmpty { find("M8", "lacks \(missing.joined(separator: ", "))") }
        return broken
    }

    /// The fields that are required and absent.
    private func missing(in bytes: [UInt8], _ range: Range<Int>, _ message: String) -> [String] {
        let sent = MessageField.fields(of: bytes, in: range) ?? []
        let known = schema.messages[message] ?? [:]
        let names = Set(sent.compactMap { known[$0.number]?.name })
        let required = Self.required[message] ?? []
        let further = names.contains("handle") ? Self.requiredWithHandle[message] ?? [] : []
        let missing = required.union(further).subtracting(names).sorted().map { "\(message).\($0)" }
        return sent.reduce(into: missing) { missing, field in
            guard let type = known[field.number]?.type, schema.messages[type] != nil else { return }
            missing += self.missing(in: bytes, field.contents, type)
        }
    }
}

/// A rule that a frame breaks, with the reason.
package struct BrokenRule: Sendable {
    package let rule: String
    package let text: String
}
