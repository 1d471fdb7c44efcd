import Foundation
import PasteboardKit
import PasteboardTransport

/// The data of the types that one write has declared. Each write has its own, so that a load of older contents never
/// gets newer data.
final class DeclaredValues: Sendable {
    private struct State {
        var declared: Set<UniformType>
        var values: [UniformType: Data] = [:]
        /// The types that were loaded: the broker keeps their data.
        var loaded: Set<UniformType> = []
    }

    private let state: Lock<State>

    init(_ types: [UniformType]) {
        state = Lock(State(declared: Set(types)))
    }

    func contains(_ type: UniformType) -> Bool { state.withLock { $0.declared.contains(type) } }

    func declare(_ types: [UniformType]) {
        state.withLock { $0.declared.formUnion(types) }
    }

    /// - Returns: false if the type was not declared, or was loaded already.
    func set(_ data: Data, for type: UniformType) -> Bool {
        state.withLock { state in
            guard state.declared.contains(type), !state.loaded.contains(type) else { return false }
            state.values[type] = data
            return true
        }
    }

    /// The data for a load, after which it cannot be set any more.
    func load(_ type: UniformType) -> Data? {
        state.withLock { state in
            state.loaded.insert(type)
            return state.values[type]
        }
    }

    /// A load has failed, so that the type can be set again.
    func giveBack(_ type: UniformType) {
        _ = state.withLock { $0.loaded.remove(type) }
    }
}

/// The data that an owner provides during one call of its callback.
final class ProvidedData: Sendable {
    @TaskLocal static var current: ProvidedData?

    private struct State {
        var data: Data?
        /// Whether the callback is running. A task that it has started may outlive it.
        var isOpen = true
    }

    private let type: UniformType
    private let sender: Pasteboard
    private let state = Lock(State())

    init(_ type: UniformType, of sender: Pasteboard) {
        self.type = type
        self.sender = sender
    }

    var data: Data? { state.withLock { $0.data } }

    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// - Returns: false unless this is the data that the callback was asked for.
    func accept(_ data: Data, for type: UniformType, on pasteboard: Pasteboard) -> Bool {
        guard type == self.type, pasteboard.name == sender.name, pasteboard.connection === sender.connection else {
            return false
        }
        return state.withLock { state in
            if state.isOpen { state.data = data }
            return state.isOpen
        }
    }
}
