import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One item to copy, offer or drag, with its inputs open. Only an offer has commands.
struct InputItem {
    /// The name that the user chose, which replaces that of a file.
    let name: String?
    let title: String?
    let representations: [(type: UniformType, origin: AskOrigin)]

    var inputs: [InputBytes] { representations.compactMap(\.origin.input) }

    /// The attributes of a representation's file, without the name if the item has another name or several files.
    private func attributes(of input: InputBytes) -> FileAttributes? {
        var attributes = input.attributes
        if name != nil || representations.count > 1 { attributes?.name = nil }
        return attributes
    }

    /// The origin of a copied file or of a list of files; nil for other items.
    private var origin: FileOrigin? {
        if representations.contains(where: { FileList.types.contains($0.type) }) { return FileOrigin(path: "") }
        guard representations.count == 1, let input = representations[0].origin.input, input.isPromisable,
            let path = input.path, input.attributes?.name != nil
        else { return nil }
        return FileOrigin(path: path)
    }

    private var suggestedName: String? {
        name ?? inputs.first.flatMap { attributes(of: $0)?.suggestion }
    }

    /// The items as they are written.
    ///
    /// - Parameters:
    ///   - keepsAll: whether the broker keeps all bytes. Otherwise it keeps only inputs that can be read once; files,
    ///     folders and the output of commands are promised.
    ///   - isConcealed: whether the bytes are sent as they are read. Otherwise a large input is read into a memory
    ///     file, which is passed.
    static func writeItems(
        _ items: [InputItem],
        for welcome: Welcome,
        keepsAll: Bool = false,
        isConcealed: Bool = false
    ) throws -> [WriteItem] {
        let isPromised = { (input: InputBytes) in !keepsAll && input.isPromisable }
        let inputs = items.flatMap(\.inputs).filter { !isPromised($0) }
        var kept = try sources(of: inputs, for: welcome, isConcealed: isConcealed).makeIterator()
        return items.map { item in
            var message = Item(suggestedName: item.suggestedName, title: item.title)
            if !isConcealed { message.teamData = item.origin?.teamData }
            return WriteItem(
                message,
                representations: item.representations.map { type, origin in
                    var message = Representation(of: type)
                    guard let input = origin.input else { return (message, .promised) }
                    message.file = item.attributes(of: input)
                    guard isPromised(input) else {
                        if input.folder != nil { message.content = .folderArchive }
                        return (message, kept.next() ?? .bytes([]))
                    }
                    message.byteCount = input.size
                    return (message, .promised)
                }
            )
        }
    }

    /// The source of each input for the broker. Known sizes are compared with its room first: a copy that cannot fit
    /// should not fill any memory.
    private static func sources(
        of inputs: [InputBytes],
        for welcome: Welcome,
        isConcealed: Bool
    ) throws -> [ByteSource] {
        let large = try inputs.map { try $0.isLarge() }
        guard large.contains(true) else { return try inputs.map { try $0.source() } }
        var room = KeptRoom(welcome)
        let known = inputs.compactMap(\.size).reduce(UInt64(0)) { sum, size in
            let (sum, overflow) = sum.addingReportingOverflow(size)
            return overflow ? .max : sum
        }
        guard known <= room.free else { throw room.failure(known) }
        let passes = welcome.passesDescriptors && !isConcealed
        let total = inputs.contains { $0.size == nil } ? nil : known
        var done: UInt64 = 0
        let line = ProgressLine()
        defer { line.finish() }
        return try zip(inputs, large).map { input, isLarge in
            guard isLarge, passes, input.filter.onlyTrims,
                let empty = try welcome.keptFile(for: input.size ?? 0)
            else { return try input.source() }
            line.show("copied", done, of: total)
            let file = try input.memory(empty, room: room) { line.show("copied", done + $0, of: total) }
            let size = try file.size
            done += size
            room.take(size)
            return .memory(file)
        }
    }
}
