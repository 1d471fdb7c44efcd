import FoundationEssentials
import PasteboardKit

extension Representation {
    /// As bytes that two closures make and read; without one of them it goes one way only.
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
            representation.load = { provider in try await importing(provider.loadData(for: type).value) }
        }
        return representation
    }

    /// As a file: the one that a closure makes or has, and a copy of it that is there while the other closure reads it.
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

    /// By way of another value, in all of its representations.
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
    /// As JSON of a type of the program's own.
    static func codable(_ type: UniformType) -> Self {
        var representation = Self([type])
        representation.export = { value, provider in provider.registerJSON(value, for: type) }
        representation.load = { provider in try await provider.loadJSON(Value.self, for: type) }
        return representation
    }
}
