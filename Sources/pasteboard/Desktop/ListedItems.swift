import DesktopClipboard
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Promises the files that a list of the desktop names, as `copy` does, so that they can be pasted where their paths
/// mean nothing.
enum ListedItems {
    /// The number of files. Each is open as long as it is promised, so a longer list is alone.
    private static let most = 256

    /// Opens the files that a list names.
    ///
    /// - Parameter list: the item of the list.
    /// - Returns: the items after it, without files that cannot be read; nil if there are none, or too many.
    static func promise(_ paths: [SystemString], after list: Item, on loop: Loop) -> DesktopFiles? {
        guard paths.count <= most else { return nil }
        let inputs = paths.compactMap(item)
        guard !inputs.isEmpty, let promises = try? InputItem.writeItems(inputs, for: Welcome()).map(\.message) else {
            return nil
        }
        let origins = inputs.map { $0.representations.map(\.origin.promised) }
        let served = ServedItems([list] + promises, [[]] + origins, on: loop)
        return DesktopFiles(items: promises) { ask in try await served.answer(ask) }
    }

    private static func item(_ path: SystemString) -> InputItem? {
        // Opening a pipe would wait for a writer.
        guard let file = try? System.open(path, .nameOnly), let kind = try? System.status(of: file.raw).kind,
            [.regular, .directory].contains(kind), let input = try? InputBytes(path), input.isPromisable
        else { return nil }
        let type = input.folder == nil ? (try? input.fileType(named: [path.description]))?.type : .folder
        return InputItem(name: nil, title: nil, representations: [(type ?? .data, .input(input))])
    }
}
