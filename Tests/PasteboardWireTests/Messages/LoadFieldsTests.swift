import PasteboardWire
import TestSupport
import Testing

/// Plain loads, which are read in place.
@Suite(.pure) struct LoadFieldsTests {
    private func load(_ change: (inout Load) -> Void = { _ in }) -> [UInt8] {
        var load = Load()
        load.accepts = [Accept(type: "public.png")]
        change(&load)
        return load.encoded
    }

    private func isPlain(_ change: (inout Load) -> Void) -> Bool {
        LoadFields(plain: load(change).span) != nil
    }

    @Test("A load of one type is plain, by name or with types that conform to it")
    func plain() {
        #expect(isPlain { _ in })
        #expect(isPlain { $0.accepts[0].match = .exact })
        #expect(isPlain { $0.accepts[0].match = .conforming })
        #expect(isPlain { $0.preference = .acceptList })
    }

    @Test("A load with several types, any type, a condition or required features is not plain")
    func general() {
        #expect(!isPlain { $0.accepts = [] })
        #expect(!isPlain { $0.accepts.append(Accept(type: "public.text")) })
        #expect(!isPlain { $0.accepts[0].match = .any })
        #expect(!isPlain { $0.accepts[0].match = Match(rawValue: 9) })
        #expect(!isPlain { $0.preference = Preference(rawValue: 2) })
        #expect(!isPlain { $0.ifChangeCount = 1 })
        #expect(!isPlain { $0.requires = [1] })
        #expect(!isPlain { ($0.handle, $0.board) = (1, "a") })
        #expect(LoadFields(plain: (load() + [0x80, 0x02, 0]).span) == nil, "an unknown field")
        #expect(LoadFields(plain: (load { $0.board = "a" } + [0x12, 1, 0xFF]).span) == nil, "a second board")
    }

    @Test("Whatever the payload is, the fields are those of the decoded load", arguments: Seeds.fixed(1))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var plainCount = 0
        let count = thinned(4_000, full: 20_000)
        for _ in 0..<count {
            var bytes = load { load in
                func number() -> UInt64? {
                    let bits = UInt64.random(in: 0...64, using: &random)
                    return Bool.random(using: &random) ? .random(in: 0...(UInt64.max >> bits), using: &random) : nil
                }
                load.handle = number()
                load.board = load.handle == nil && Bool.random(using: &random) ? "board" : nil
                load.item = number().map { UInt32(truncatingIfNeeded: $0) }
                load.accepts[0].match = number().map { Match(rawValue: UInt32(truncatingIfNeeded: $0 % 4)) }
                load.preference = number().map { Preference(rawValue: UInt32(truncatingIfNeeded: $0 % 3)) }
                load.maximumByteCount = number()
                load.credit = number()
                load.descriptorWelcome = number().map { $0 & 1 == 1 }
                load.timeoutMilliseconds = number()
                load.inPlaceWelcome = number().map { $0 & 1 == 1 }
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: break
                }
                if bytes.isEmpty { bytes = [0] }
            }
            guard let fields = LoadFields(plain: bytes.span) else { continue }
            plainCount += 1
            try check(fields, bytes)
        }
        #expect(plainCount > count / 4)
    }

    private func check(_ fields: LoadFields, _ bytes: [UInt8]) throws {
        func text(_ range: Range<Int>) -> String? { String(validating: bytes[range], as: UTF8.self) }
        let load: Load
        do throws(Failure) {
            load = try Load(decoding: bytes)
        } catch {
            // Names are compared by their bytes, so one that is not UTF-8 equals no stored name.
            let names = [fields.type, fields.board ?? 0..<0]
            try #require(names.contains { text($0) == nil }, "\(bytes): \(error)")
            return
        }
        let accept = try #require(load.accepts.first)
        try #require(
            load.accepts.count == 1 && load.requires.isEmpty && load.ifChangeCount == nil
        )
        try #require(accept.type == text(fields.type) && (accept.match ?? .absent) != .any, "\(bytes)")
        try #require(load.handle == fields.handle && load.board == fields.board.flatMap(text), "\(bytes)")
        try #require(load.item ?? 0 == fields.item && load.credit ?? 0 == fields.credit, "\(bytes)")
        try #require(load.maximumByteCount == fields.maximumByteCount, "\(bytes)")
        try #require(load.timeoutMilliseconds == fields.timeoutMilliseconds, "\(bytes)")
        try #require(load.descriptorWelcome ?? false == fields.descriptorWelcome, "\(bytes)")
        try #require(load.inPlaceWelcome ?? false == fields.inPlaceWelcome, "\(bytes)")
    }
}

extension Accept {
    fileprivate init(type: String) {
        self.init()
        self.type = type
    }
}
