/// The requests to an X server, as bytes.
enum X11Request {
    private static let propertyChanges: UInt32 = 1 << 22
    private static let structureChanges: UInt32 = 1 << 17

    private static func encode(
        _ opcode: UInt8,
        _ detail: UInt8 = 0,
        _ words: [UInt32] = [],
        _ bytes: ArraySlice<UInt8> = []
    ) -> [UInt8] {
        var writer = FieldWriter(bytes: [opcode, detail])
        writer.bytes.reserveCapacity(8 + words.count * 4 + bytes.count.paddedToWords)
        let length = 1 + words.count + bytes.count.paddedToWords / 4
        if let length = UInt16(exactly: length) {
            writer.append(length)
        } else {
            // The form of BIG-REQUESTS has one word more.
            writer.append(UInt16(0))
            writer.append(UInt32(clamping: length + 1))
        }
        for word in words { writer.append(word) }
        writer.bytes += bytes
        writer.pad()
        return writer.bytes
    }

    /// Opens a connection. The bytes are little-endian, whatever the machine.
    static func connect(_ name: [UInt8], _ data: [UInt8]) -> [UInt8] {
        var writer = FieldWriter(bytes: [UInt8(ascii: "l"), 0])
        for value in [11, 0, UInt16(clamping: name.count), UInt16(clamping: data.count), 0] { writer.append(value) }
        writer.bytes += name
        writer.pad()
        writer.bytes += data
        writer.pad()
        return writer.bytes
    }

    /// Makes a window that is never shown, and whose properties are watched.
    static func createWindow(_ window: UInt32, in root: UInt32) -> [UInt8] {
        encode(1, 0, [window, root, 0, 1 | 1 << 16, 2 << 16, 0, 1 << 11, propertyChanges])
    }

    /// Watches the properties and the end of a window of another program, or no longer.
    static func watch(_ window: UInt32, _ isWatched: Bool = true) -> [UInt8] {
        encode(2, 0, [window, 1 << 11, isWatched ? propertyChanges | structureChanges : 0])
    }

    static func destroyWindow(_ window: UInt32) -> [UInt8] { encode(4, 0, [window]) }

    static func internAtom(_ name: String) -> [UInt8] {
        encode(16, 0, [UInt32(UInt16(clamping: name.utf8.count))], Array(name.utf8)[...])
    }

    static func nameOfAtom(_ atom: UInt32) -> [UInt8] { encode(17, 0, [atom]) }

    /// - Parameter format: the bits of each value.
    static func changeProperty(
        _ property: UInt32,
        of window: UInt32,
        type: UInt32,
        format: UInt8,
        _ bytes: ArraySlice<UInt8>,
        appends: Bool = false
    ) -> [UInt8] {
        let count = UInt32(clamping: bytes.count / Int(format / 8))
        return encode(18, appends ? 2 : 0, [window, property, type, UInt32(format), count], bytes)
    }

    static func deleteProperty(_ property: UInt32, of window: UInt32) -> [UInt8] { encode(19, 0, [window, property]) }

    /// - Parameters:
    ///   - offset: the first word.
    ///   - count: the number of words.
    static func property(_ property: UInt32, of window: UInt32, from offset: UInt32, count: UInt32) -> [UInt8] {
        encode(20, 0, [window, property, 0, offset, count])
    }

    static func own(_ selection: UInt32, _ window: UInt32, at time: UInt32) -> [UInt8] {
        encode(22, 0, [window, selection, time])
    }

    static func owner(of selection: UInt32) -> [UInt8] { encode(23, 0, [selection]) }

    static func convert(
        _ selection: UInt32,
        to target: UInt32,
        into property: UInt32,
        of window: UInt32,
        at time: UInt32
    ) -> [UInt8] {
        encode(24, 0, [window, selection, target, property, time])
    }

    /// Answers a request for a selection; `property` is 0 for a refusal.
    static func notify(_ request: X11SelectionRequest, property: UInt32) -> [UInt8] {
        let fields = [
            31, request.time, request.requestor, request.selection, request.target, property, 0, 0,
        ]
        return encode(25, 0, [request.requestor, 0] + fields)
    }

    static func extension_(_ name: String) -> [UInt8] {
        encode(98, 0, [UInt32(UInt16(clamping: name.utf8.count))], Array(name.utf8)[...])
    }

    /// Allows requests of more than 256 KiB.
    static func enableBigRequests(_ opcode: UInt8) -> [UInt8] { encode(opcode) }

    // XFIXES.
    static func fixesVersion(_ opcode: UInt8) -> [UInt8] { encode(opcode, 0, [5, 0]) }

    /// Watches the owners of a selection.
    static func watch(_ selection: UInt32, by window: UInt32, _ opcode: UInt8) -> [UInt8] {
        encode(opcode, 2, [window, selection, 7])
    }
}

/// A program asks the owner of a selection for its contents.
struct X11SelectionRequest: Sendable {
    let time: UInt32
    let requestor: UInt32
    let selection: UInt32
    let target: UInt32
    /// The property for the answer.
    var property: UInt32

    /// The request with a property. Clients before ICCCM name none.
    var withProperty: X11SelectionRequest {
        var request = self
        if property == 0 { request.property = target }
        return request
    }
}
