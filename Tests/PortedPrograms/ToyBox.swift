import PasteboardCompatibility

/// A toy is read from plain text; subclasses are read in the same way.
class Toy: NSObject, NSItemProviderReading {
    let name: String
    var timesPlayedWith = 0

    required init(name: String) {
        self.name = name
        super.init()
    }

    enum ToyError: Error {
        case noName
    }

    class var readableTypeIdentifiersForItemProvider: [String] {
        [kUTTypeUTF8PlainText as String, kUTTypePlainText as String]
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let name = String(data: data, encoding: .utf8), !name.isEmpty else { throw ToyError.noName }
        return self.init(name: name)
    }
}

class CatToy: Toy {
    override var description: String { "\(name), for cats" }
}

/// Holds toys, and takes more of them on the main thread.
@MainActor
class ToyBox {
    var toys: [Toy] = []
    var lastError: Error?

    func take(_ itemProvider: NSItemProvider, thenCall completion: @escaping @MainActor () -> Void) {
        guard itemProvider.canLoadObject(ofClass: CatToy.self) else { return completion() }
        let progress: Progress = itemProvider.loadObject(ofClass: CatToy.self) { (toy, error) in
            DispatchQueue.main.async {
                if let toy = toy {
                    toy.timesPlayedWith += 1
                    self.toys.append(toy)
                } else {
                    self.lastError = error
                }
                completion()
            }
        }
        assert(!progress.isCancelled)
    }

    /// What another box can take.
    func itemProviders() -> [NSItemProvider] {
        toys.map { NSItemProvider(object: $0.name as NSString) }
    }
}
