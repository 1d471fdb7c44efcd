import DesktopClipboard
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Promises the files that a list of the desktop names, so that they can be pasted where their paths mean nothing.
///
/// They are opened and read by a program of each ask: the bridge never waits for a file system, and a medium can be
/// removed.
enum ListedItems {
    /// The number of files. A longer list crosses alone.
    private static let most = 256

    static func promise(_ paths: [SystemString], on loop: Loop) -> DesktopFiles? {
        guard paths.count <= most else { return nil }
        let files = paths.compactMap(promise)
        guard files.count == paths.count else { return nil }
        // The list is the first item.
        let served = ServedItems([Item()] + files.map(\.item), [[]] + files.map { [$0.origin] }, on: loop)
        return DesktopFiles(items: files.map(\.item), answer: served.answer, stop: served.stop)
    }

    private static func promise(_ path: SystemString) -> (item: Item, origin: PromisedOrigin)? {
        // Opening a pipe would wait for a writer. Links are followed once, so that the same file is read later.
        guard let file = try? System.open(path, .nameOnly), let status = try? System.status(of: file.raw),
            [.regular, .directory].contains(status.kind),
            let real = try? System.linkTarget("/proc/self/fd/\(file.raw)"),
            (try? System.open(real)) != nil, let target = real.lastComponent,
            let name = status.kind == .directory ? target : path.lastComponent
        else { return nil }
        let isFolder = status.kind == .directory
        let type = isFolder ? UniformType.folder : UniformType.forFile(named: path.description)
        var attributes = FileAttributes(of: status)
        attributes.name = name.bytes
        var representation = Representation(of: type)
        representation.file = attributes
        var item = Item(suggestedName: attributes.suggestion, title: nil)
        item.representations = [representation]
        item.teamData = FileOrigin(path: path)?.teamData
        // Messages to other processes must not contain the directory.
        let there = "cd " + quoted(real.directory) + " 2> /dev/null || exit; "
        guard isFolder else { return (item, .command(there + "exec cat ./" + quoted(target), type: type.identifier)) }
        let archiver = SystemString("| LC_ALL=C tar \(OpenedFolder.arguments.joined(separator: " "))")
        return (
            item,
            .archive(
                there + "unset TAR_OPTIONS POSIXLY_CORRECT; printf '%s\\0' " + quoted(name) + archiver,
                name: name.description
            )
        )
    }

    private static func quoted(_ text: SystemString) -> SystemString {
        let quote = UInt8(ascii: "'")
        return SystemString([quote] + text.bytes.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote])
    }
}
