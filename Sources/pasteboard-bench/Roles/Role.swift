import Glibc
import PasteboardClient
import PasteboardTransport

/// The processes of a case: this program runs itself in one of these roles.
///
///     role SOURCE SOCKET BYTES
///     role DESTINATION SOCKET SHAPE COUNT BYTES BROKER-PROCESS
enum Role {
    static func play(_ arguments: [String]) throws {
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        let shape = arguments.count > 2 ? LoadShape(rawValue: arguments[2]) : nil
        switch (arguments.first, shape, numbers.count) {
        case ("core-source", nil, 1): try CoreRole.source(arguments[1], bytes: numbers[0])
        case ("library-source", nil, 1): LibraryRole.source(arguments[1], bytes: numbers[0])
        case ("keeper", nil, 1): try CoreRole.hold(.bytes([UInt8](repeating: 7, count: numbers[0])), arguments[1])
        case ("silent-source", nil, 1): try CoreRole.hold(.promised, arguments[1])
        case ("core-destination", let shape?, 3):
            let work = LoadWork(shape: shape, count: numbers[0], bytes: numbers[1])
            try CoreRole.destination(arguments[1], work, relay: pid_t(numbers[2]))
        case ("library-destination", let shape?, 3):
            let work = LoadWork(shape: shape, count: numbers[0], bytes: numbers[1])
            LibraryRole.destination(arguments[1], work, relay: pid_t(numbers[2]))
        default: throw BenchError("unknown role '\(arguments.joined(separator: " "))'")
        }
    }

    static func say(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: 1)
    }
}
