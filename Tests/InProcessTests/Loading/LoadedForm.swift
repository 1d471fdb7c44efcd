import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

/// A way to load an item.
enum LoadedForm: String, CaseIterable, Sendable {
    case data
    case file
    case inPlace
    case object
    case chunks

    /// The result of a load.
    enum Outcome: Equatable {
        case bytes(Data, UniformType)
        /// A tar archive that contains files of these names.
        case archive([String])
        case file(String, Data, UniformType, isInPlace: Bool)
        case tree(String, [String: String], UniformType)
        case object(Data)
        case failure(PasteboardError.Code)
    }

    /// Loads all bytes of a text, or of another type in each form but `object`.
    func bytes(
        of type: UniformType = .text,
        from provider: ItemProvider,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws -> Data {
        switch self {
        case .data:
            return try await provider.loadData(for: type, options: options, progress: progress)
        case .file, .inPlace:
            return try await provider.withLoadedFile(
                for: type,
                openInPlace: self == .inPlace,
                options: options,
                progress: progress
            ) { try Data(contentsOf: $0.value) }
        case .object:
            return Data(try await provider.load(String.self, options: options, progress: progress).utf8)
        case .chunks:
            var data = Data()
            for try await chunk in try await provider.loadBytes(for: type, options: options, progress: progress) {
                data += chunk
            }
            return data
        }
    }

    /// Loads an item of this kind.
    func load(_ kind: RegisteredKind, from provider: ItemProvider) async throws -> Outcome {
        let progress = LoadProgress()
        let outcome = try await load(kind, from: provider, progress)
        if case .failure = outcome {
            #expect(!progress.isFinished)
        } else {
            #expect(progress.isFinished && progress.fractionCompleted == 1)
            #expect(progress.completedUnitCount == progress.totalUnitCount)
        }
        return outcome
    }

    private func load(
        _ kind: RegisteredKind,
        from provider: ItemProvider,
        _ progress: LoadProgress
    ) async throws -> Outcome {
        do {
            switch self {
            case .data:
                let loaded = try await provider.loadData(
                    forFirstOf: [kind.wanted],
                    preferring: .reader,
                    progress: progress
                )
                return try bytes(loaded.value, loaded.type)
            case .chunks:
                let loaded = try await provider.loadBytes(for: kind.wanted, progress: progress)
                var data = Data()
                for try await chunk in loaded { data += chunk }
                return try bytes(data, loaded.type)
            case .file, .inPlace:
                let (outcome, url) = try await provider.withLoadedFile(
                    for: kind.wanted,
                    openInPlace: self == .inPlace,
                    progress: progress
                ) { loaded in
                    (try file(loaded), loaded)
                }
                // A copy is removed with the load, but the source's own file stays.
                #expect(FileManager.default.fileExists(atPath: url.value.path) == url.isInPlace)
                return outcome
            case .object:
                return .object(try await object(kind, from: provider, progress))
            }
        } catch let error as PasteboardError {
            return .failure(error.code)
        }
    }

    private func bytes(_ data: Data, _ type: UniformType) throws -> Outcome {
        guard type == .tarArchive else { return .bytes(data, type) }
        let directory = try TemporaryDirectory()
        let archive = try directory.write(Array(data), to: "archive")
        let tar = try ProcessRunner("/usr/bin/tar", ["-tf", archive, "--quoting-style=literal"], environment: [:])
        let names = try tar.finish().text.split(separator: "\n").filter { !$0.hasSuffix("/") }
        return .archive(names.map(String.init).sorted())
    }

    private func file(_ loaded: Loaded<URL>) throws -> Outcome {
        let (url, name) = (loaded.value, loaded.value.lastPathComponent)
        guard url.hasDirectoryPath else {
            return .file(name, try Data(contentsOf: url), loaded.type, isInPlace: loaded.isInPlace)
        }
        var tree: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            guard let text = try? Data(contentsOf: url.appending(path: path)) else { continue }
            tree[path] = String(decoding: text, as: UTF8.self)
        }
        return .tree(name, tree, loaded.type)
    }

    private func object(
        _ kind: RegisteredKind,
        from provider: ItemProvider,
        _ progress: LoadProgress
    ) async throws -> Data {
        switch kind {
        case .data, .folder, .byteStream, .sharedMemory:
            try await provider.load(Data.self, progress: progress)
        case .file, .object:
            Data(try await provider.load(String.self, progress: progress).utf8)
        case .lazyObject:
            Data(try await provider.load(URL.self, progress: progress).absoluteString.utf8)
        case .json:
            try JSONEncoder().encode(
                try await provider.load(RegisteredKind.Place.self, progress: progress)
            )
        }
    }
}

extension RegisteredKind {
    /// The class as which an item of this kind is loaded.
    var objectClass: any ItemProviderReading.Type {
        switch self {
        case .data, .folder, .byteStream, .sharedMemory: Data.self
        case .file, .object: String.self
        case .lazyObject: URL.self
        case .json: Place.self
        }
    }
}
