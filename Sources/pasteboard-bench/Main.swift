import CBenchFloor
import Glibc
import PasteboardTransport

/// Compares loads through the broker with a relay in C that moves the same bytes and does not interpret them.
@main
enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == "role" {
                try Role.play(Array(arguments.dropFirst()))
            } else {
                let options = try BenchOptions(arguments)
                try Benchmark(options).run()
            }
        } catch {
            try? System.write(Array("pasteboard-bench: \(error)\n".utf8).span, to: 2)
            exit(1)
        }
    }
}
