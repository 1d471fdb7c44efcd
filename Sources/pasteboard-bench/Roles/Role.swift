import CBenchFloor
import Glibc
import PasteboardClient
import PasteboardTransport

/// The processes of a case: this program runs itself in one of these roles.
enum Role {
    static func play(_ arguments: [String]) throws {
        guard bench_die_with_parent() == 0 else { throw BenchError("cannot end with the parent: error \(errno)") }
        guard arguments.count >= 2 else { throw BenchError("a role needs a socket") }
        let socket = arguments[1]
        func number(_ index: Int) throws -> Int {
            guard index < arguments.count, let number = Int(arguments[index]) else {
                throw BenchError("\(arguments[0]) needs more numbers")
            }
            return number
        }
        func work() throws -> LoadWork {
            guard let shape = LoadShape(rawValue: arguments.count > 2 ? arguments[2] : "") else {
                throw BenchError("unknown shape of loads")
            }
            return LoadWork(shape: shape, count: try number(3), bytes: try number(4))
        }
        switch arguments[0] {
        case "core-source", "core-file-source":
            let passesFile = arguments[0] == "core-file-source"
            var source = try CoreSource(socket, bytes: try number(2), passesFile: passesFile)
            try source.run()
        case "library-source": try LibraryRole.source(socket, bytes: try number(2))
        case "core-destination": try CoreDestination(socket, try work()).measure(relay: pid_t(try number(5)))
        case "library-destination": try LibraryRole.destination(socket, try work(), relay: pid_t(try number(5)))
        case "keeper": try Holder.keep(.bytes([UInt8](repeating: 7, count: try number(2))), socket)
        case "silent-source": try Holder.keep(.promised, socket)
        case "silent-connection": try Holder.hold(DescriptorBox(try Socket.connect(path: socket, deadline: .max)))
        case "connections": try Holder.connections(try number(2), socket)
        default: throw BenchError("unknown role '\(arguments[0])'")
        }
    }

    static func say(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: 1)
    }
}
