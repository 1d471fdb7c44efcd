import FoundationEssentials
import Glibc
import PasteboardCompatibility
import PasteboardKit

/// The role of a destination.
struct LibraryDestination {
    private enum Form: String {
        case data
        case file
        case inPlace
        case object
        case chunks
        case paused
        case types
    }

    private var forms: [Form] = []
    private var type: UniformType?
    private var timeout: Duration?

    init(_ words: [PeerWord]) throws {
        for word in words {
            switch (word.name, word.value) {
            case ("timeout", .some): timeout = .milliseconds(try word.number)
            case ("type", let value?): type = UniformType(importedAs: value)
            case ("group", .some): break
            case (let name, nil):
                guard let form = Form(rawValue: name) else { throw Misuse() }
                forms.append(form)
            default: throw Misuse()
            }
        }
    }

    func run(_ board: Pasteboard) async throws {
        let contents = try await board.contents()
        LibraryPeer.say("items \(contents.items.count)")
        for item in contents.items {
            for form in forms { LibraryPeer.say("\(item.id) \(form) \(await outcome(form, item.itemProvider))") }
        }
    }

    private func outcome(_ form: Form, _ provider: ItemProvider) async -> String {
        do {
            return try await load(form, provider)
        } catch {
            return "failed \((error as? PasteboardError)?.code.description ?? "\(error)")"
        }
    }

    private func load(_ form: Form, _ provider: ItemProvider) async throws -> String {
        let type = type ?? provider.registeredContentTypes.first ?? .data
        switch form {
        case .data:
            let options = LoadOptions(timeout: timeout)
            let loaded = try await provider.loadData(forFirstOf: [type], preferring: .reader, options: options)
            return "\(Shown.bytes(loaded.value)) \(loaded.type.identifier)"
        case .chunks, .paused:
            let loaded = try await provider.loadBytes(for: type, options: LoadOptions(timeout: timeout))
            var data = Data()
            for try await chunk in loaded {
                if form == .paused, data.isEmpty {
                    LibraryPeer.say("first")
                    _ = readLine()
                }
                data += chunk
            }
            return "\(Shown.bytes(data)) \(loaded.type.identifier)"
        case .file, .inPlace:
            return try await provider.withLoadedFile(
                for: type,
                openInPlace: form == .inPlace,
                options: LoadOptions(timeout: timeout)
            ) {
                let (url, name) = ($0.value, Shown.text($0.value.lastPathComponent))
                let way = $0.isInPlace ? "own" : "copy"
                guard !url.hasDirectoryPath else {
                    let paths = try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
                    return "tree:\(paths.map(Shown.text).joined(separator: ",")) \($0.type.identifier) \(way) \(name)"
                }
                return "\(Shown.bytes(try Data(contentsOf: url))) \($0.type.identifier) \(way) \(name)"
            }
        case .object where provider.canLoad(String.self):
            return "string:\(Shown.text(try await provider.load(String.self, options: LoadOptions(timeout: timeout))))"
        case .object:
            return Shown.bytes(try await provider.load(Data.self, options: LoadOptions(timeout: timeout)))
        case .types:
            let types = provider.registeredTypeIdentifiers.joined(separator: ",")
            return "\(types) \(Shown.text(provider.suggestedName ?? "-"))"
        }
    }
}
