import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit

extension Representation {
    /// A representation as bytes that two closures write and read. Without one of them it can only be exported or only
    /// be imported.
    static func data(
        _ type: UniformType,
        exporting: (@Sendable (Value) async throws -> Data)? = nil,
        importing: (@Sendable (Data) async throws -> Value)? = nil
    ) -> Self {
        var representation = Self([type])
        if let exporting {
            representation.export = { value, provider in
                provider.registerDataRepresentation(for: type) { try await exporting(value) }
            }
        }
        if let importing {
            representation.load = { provider in try await importing(provider.loadData(for: type)) }
        }
        return representation
    }

    /// A representation as a file. One closure returns the file to send; the other reads a copy that exists during the
    /// call.
    static func file(
        _ type: UniformType,
        exporting: (@Sendable (Value) async throws -> SentFile)? = nil,
        importing: (@Sendable (URL) async throws -> Value)? = nil
    ) -> Self {
        var representation = Self([type])
        if let exporting {
            representation.export = { value, provider in
                provider.registerFileRepresentation(for: type) { completion in
                    let task = Task {
                        do {
                            let file = try await exporting(value)
                            completion(file.url, false, nil)
                            file.wasOpened()
                        } catch {
                            completion(nil, false, error)
                        }
                    }
                    let progress = LoadProgress()
                    progress.cancellationHandler = { task.cancel() }
                    return progress
                }
            }
        }
        if let importing {
            representation.load = { provider in
                try await provider.withLoadedFile(for: type) { try await importing($0.value) }
            }
        }
        return representation
    }

    /// A representation by another value, in all representations of that value.
    static func proxy<Proxy: Transferable>(
        exporting: (@Sendable (Value) -> Proxy)? = nil,
        importing: (@Sendable (Proxy) -> Value)? = nil
    ) -> Self {
        var representation = Self(Proxy.representations.filter { $0.load != nil }.flatMap(\.types))
        if let exporting {
            representation.export = { value, provider in provider.register(exporting(value)) }
        }
        if let importing {
            representation.load = { provider in importing(try await provider.load(Proxy.self)) }
        }
        return representation
    }
}

extension Representation where Value: Codable {
    /// A representation as JSON with a type of the program's own.
    static func codable(_ type: UniformType) -> Self {
        var representation = Self([type])
        representation.export = { value, provider in provider.registerJSON(value, for: type) }
        representation.load = { provider in try await provider.loadJSON(Value.self, for: type) }
        return representation
    }
}
