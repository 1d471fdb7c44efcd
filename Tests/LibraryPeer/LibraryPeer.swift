import FoundationEssentials
import Glibc
import PasteboardKit

/// A source or a destination in a separate process that uses the library. It reports events in lines on standard
/// output.
@main
enum LibraryPeer {
    private static let usage = """
        usage: library-peer source SOCKET [NAME=VALUE | KIND ...]
               library-peer destination SOCKET [NAME=VALUE | FORM ...]
               library-peer view SOCKET [NAME=VALUE | WORD ...]
               library-peer repeats SOCKET KIND [path=PATH]
               library-peer forks SOCKET [first-byte=MILLISECONDS]

        A source makes an item of each KIND: data, file, folder, object, lazy, stream, memory, custom; a setting counts
        for the kinds after it: name=NAME (suggested), file=PATH (of file, folder), count=N (bytes),
        visibility=group|ownProcess, waits (handlers go on only when they are cancelled), half (so does a stream, after
        half of its bytes), and group=TOKEN for all. It says `promised`, `asked`, `cancelled`, `ended HOW`.

        A destination loads each item in each FORM: data, file, inPlace, object, chunks, paused (chunks, of which it takes
        the first, says `first` and waits for a line), types; as type=TYPE, else the item's first, with
        timeout=MILLISECONDS, and group=TOKEN. It says a line for each.

        A view says what its delegate is told. With name=NAME it is a destination, says `registered`, and proposes copy,
        or move with the word move; with waits a drop goes on until it has read a line. With to=NAME it drags text=TEXT
        there, with between to move between processes; with waits it drops once it has read a line. It says the outcome.

        What repeats is source and destination at once. It says `promised`; for each line `go` it loads an item of KIND
        100 times and says `done`, for `measure` it says how many descriptors, threads and KiB it has.

        What forks publishes data and says `promised`; for each line `fork`, `fork and close`, `load` or `close` it does
        that. See LibraryForker.swift.

        """

    static func main() async {
        do {
            var arguments = CommandLine.arguments.dropFirst()
            guard let role = arguments.popFirst(), let path = arguments.popFirst() else { throw Misuse() }
            let words = arguments.map(PeerWord.init)
            let groups = words.compactMap { $0.name == "group" ? $0.value : nil }
            let connection = PasteboardConnection(socketPath: path, startsBroker: false, groups: groups)
            let board = Pasteboard(name: .general, connection: connection)
            switch role {
            case "source": try await LibrarySource(words).run(board)
            case "destination": try await LibraryDestination(words).run(board)
            case "view": try await LibraryView(words).run(connection)
            case "forks": try await LibraryForker(connection, words).run(board)
            case "repeats": try await LibraryRepeater(words, socket: path).run(board)
            default: throw Misuse()
            }
        } catch {
            write("library-peer: \(error)\n\(error is Misuse ? usage : "")", to: 2)
            exit(2)
        }
    }

    static func say(_ line: String) {
        write(line + "\n", to: 1)
    }

    /// Writes without buffering and in one call, because several threads write lines.
    private static func write(_ text: String, to descriptor: CInt) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}

struct Misuse: Error {}

/// An argument of the form `name=value`, or a name alone.
struct PeerWord: Sendable {
    let name: String
    let value: String?

    init(_ argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count == 2 ? String(parts[1]) : nil
    }

    /// The value as a number.
    var number: Int {
        get throws {
            guard let value, let number = Int(value) else { throw Misuse() }
            return number
        }
    }
}

/// Descriptions of data in one line.
enum Shown {
    static func bytes(_ data: Data) -> String {
        if data.count > 262, data[257..<262] == Data("ustar".utf8) { return "tar" }
        if data == pattern(data.count), data.count > 100 { return "pattern:\(data.count)" }
        return data.count > 1_000 ? "damaged:\(data.count)" : "text:\(text(String(decoding: data, as: UTF8.self)))"
    }

    /// The text, percent-encoded as one word of printable ASCII.
    static func text(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.properties.isAlphabetic && byte < 128 || "0123456789.-_:/".unicodeScalars.contains(scalar)
            return isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// A block with a prime length, so that a chunk at a wrong offset has other bytes.
    private static let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: (UInt32($0) &* 2_654_435_761) >> 21) })

    static func pattern(_ count: Int) -> Data {
        var data = Data(capacity: count + block.count)
        while data.count < count { data += block }
        data.count = count
        return data
    }
}
