import PasteboardWire

/// A property of a window, or a part of one.
struct X11Property {
    /// 0 if the window has no such property.
    let type: UInt32
    let bytes: ArraySlice<UInt8>
    /// The number of bytes that follow.
    let rest: UInt32

    var words: [UInt32] {
        var fields = FieldReader(bytes)
        return (try? fields.words()) ?? []
    }
}

extension X11Connection {
    /// The words of a property that one reply has.
    private static let part: UInt32 = 64 << 10

    /// Returns a part of a property.
    ///
    /// - Parameter offset: the number of words before it.
    func property(_ property: UInt32, of window: UInt32, from offset: UInt32 = 0) async throws -> X11Property {
        let request = X11Request.property(property, of: window, from: offset, count: Self.part)
        var (format, fields) = try await reply(to: request)
        let (type, rest, count) = (try fields.uint32(), try fields.uint32(), try fields.uint32())
        try fields.skip(12)
        let bytes = try fields.take(min(Int(count) * Int(format / 8), fields.count))
        return X11Property(type: type, bytes: bytes, rest: rest)
    }

    /// The number of the display, which its first bridge has put on the root window.
    func displayNumber() async throws -> UInt64 {
        let (name, type) = (try await atom("_PASTEBOARD_DISPLAY"), try await atom("CARDINAL"))
        // If several bridges start together, all of them find the number that was appended first.
        for isMade in [false, true] {
            let words = try await property(name, of: setup.root).words
            if words.count >= 2 { return UInt64(words[0]) << 32 | UInt64(words[1]) }
            guard !isMade else { break }
            var writer = FieldWriter()
            for _ in 0..<2 { writer.append(UInt32.random(in: 1 ... .max)) }
            send(
                X11Request.changeProperty(
                    name,
                    of: setup.root,
                    type: type,
                    format: 32,
                    writer.bytes[...],
                    appends: true
                )
            )
        }
        // Another program has given the property another form.
        return .random(in: 1 ... .max)
    }

    /// Passes all bytes of a property to a sink, part by part, and deletes the property.
    ///
    /// - Returns: their number.
    func takeProperty(_ property: UInt32, of window: UInt32, _ sink: ByteSink) async throws -> UInt64 {
        var (offset, count): (UInt32, UInt64) = (0, 0)
        while true {
            let part = try await self.property(property, of: window, from: offset)
            guard part.type != 0, !part.bytes.isEmpty else { break }
            count = count.addingClamped(UInt64(part.bytes.count))
            try await sink(Array(part.bytes))
            offset &+= Self.part
            if part.rest == 0 { break }
        }
        send(X11Request.deleteProperty(property, of: window))
        return count
    }
}
