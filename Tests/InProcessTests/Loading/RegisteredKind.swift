import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport

/// One item for each kind of registration. Each has its own type, bytes and file name, and is loaded by a supertype.
enum RegisteredKind: String, CaseIterable, Sendable {
    case data
    case file
    case folder
    case object
    case lazyObject
    case json
    case byteStream
    case sharedMemory

    struct Place: Codable, ItemProviderReading {
        static let readableTypeIdentifiersForItemProvider = ["public.json"]
        var name: String

        static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
            try JSONDecoder().decode(Self.self, from: data)
        }
    }

    /// More than one and a half frames, so that lost or swapped chunks are detected.
    static let pattern = Data((0..<400_000).map { UInt8(truncatingIfNeeded: (($0 % 65_521) &* 31) >> 3) })
    static let text = "Grüße, 世界\n"
    static let link = "https://example.org/a?b=c#d"
    static let place = Place(name: "Sequoia")
    static let tree = ["-rf": "one", "sub/deeper/ä b": "two", ".hidden": "three"]

    /// The type that a load requests.
    var wanted: UniformType {
        switch self {
        case .data, .sharedMemory: .image
        case .file, .object, .json, .byteStream: .text
        case .folder: .directory
        case .lazyObject: .data
        }
    }

    /// The type that the load gets.
    var given: UniformType {
        switch self {
        case .data: .png
        case .file: .plainText
        case .folder: .folder
        case .object: .utf8PlainText
        case .lazyObject: .url
        case .json: .json
        case .byteStream: .commaSeparatedText
        case .sharedMemory: .gif
        }
    }

    /// The expected bytes; nil for a folder, which has none.
    var bytes: Data? {
        switch self {
        case .data, .byteStream, .sharedMemory: Self.pattern
        case .file, .object: Data(Self.text.utf8)
        case .folder: nil
        case .lazyObject: Data(Self.link.utf8)
        case .json: Data(#"{"name":"Sequoia"}"#.utf8)
        }
    }

    var suggestedName: String? {
        switch self {
        case .data: "picture"
        case .file, .folder, .object: nil
        case .lazyObject: "link"
        case .json: "place.txt"
        case .byteStream: "v1.2"
        case .sharedMemory: "moving.GIF"
        }
    }

    /// The expected name of a loaded copy.
    var fileName: String {
        switch self {
        case .data: "picture.png"
        case .file: "original notes.txt"
        case .folder: "a folder"
        case .object: "pasted.txt"
        case .lazyObject: "link"
        case .json: "place.txt.json"
        case .byteStream: "v1.2.csv"
        case .sharedMemory: "moving.GIF"
        }
    }

    /// The kinds that can be registered with a load policy.
    static let keepable = [RegisteredKind.data, .file, .folder, .byteStream, .sharedMemory]

    /// - Parameters:
    /// - directory: the directory in which the file and the folder are created.
    /// - policy: the load policy, for the kinds that can have one.
    /// - asked: counts the calls of the handlers of these kinds.
    func provider(
        in directory: TemporaryDirectory,
        policy: LoadPolicy = .everyTime,
        asked: Counter = Counter()
    ) throws -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = suggestedName
        switch self {
        case .data:
            provider.registerDataRepresentation(for: given, policy: policy) {
                asked.increment()
                return Self.pattern
            }
        case .file:
            let url = URL(filePath: try directory.write(Self.text, to: fileName))
            provider.registerFileRepresentation(for: given, openInPlace: true, policy: policy) {
                asked.increment()
                return url
            }
        case .folder:
            let folder = URL(filePath: "\(directory.path)/\(fileName)")
            for (name, text) in Self.tree {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
            provider.registerFileRepresentation(for: given, openInPlace: true, policy: policy) {
                asked.increment()
                return folder
            }
        case .object:
            provider.registerObject(Self.text, visibility: .all)
        case .lazyObject:
            provider.registerObject(ofClass: URL.self, visibility: .all) { completion in
                completion(URL(string: Self.link), nil)
                return nil
            }
        case .json:
            provider.registerJSON(Self.place, for: given)
        case .byteStream:
            provider.registerByteStream(for: given, policy: policy) { writer in
                asked.increment()
                for start in stride(from: 0, to: Self.pattern.count, by: 7_000) {
                    try await writer.write(Self.pattern[start..<min(start + 7_000, Self.pattern.count)])
                }
            }
        case .sharedMemory:
            provider.registerSharedMemory(for: given, policy: policy) {
                asked.increment()
                return try SharedMemory(Self.pattern)
            }
        }
        return provider
    }
}
