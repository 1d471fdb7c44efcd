import Glibc
import Testing

/// One of the example programs that scripts are played on, with the test as its script.
final class PlayedProgram {
    private let process: PeerProcess

    init(_ program: String, _ arguments: String..., at desk: Desk) throws {
        process = try PeerProcess(program, arguments, environment: desk.environment)
        try process.expect("ready")
    }

    /// Takes steps, and waits for a line that begins so.
    ///
    /// - Returns: all lines until then, with that one.
    @discardableResult
    func play(_ steps: String, until beginning: String) throws -> [String] {
        try process.order(steps)
        return try lines(until: beginning)
    }

    /// Waits for a line that begins so.
    ///
    /// - Returns: all lines until then, with that one.
    @discardableResult
    func lines(until beginning: String) throws -> [String] {
        var lines: [String] = []
        repeat { lines.append(try process.line()) } while !lines[lines.count - 1].hasPrefix(beginning)
        return lines
    }

    /// What a table shows.
    func rows(_ label: String? = nil) throws -> [String] {
        let beginning = label.map { "row \($0) " } ?? "row "
        return try play("show\nsay shown", until: "said shown").filter { $0.hasPrefix(beginning) }.map { line in
            String(line.dropFirst(beginning.count).drop { $0 != " " }.dropFirst())
        }
    }

    /// Begins a drag and moves it.
    ///
    /// - Returns: what a drop would do.
    func drag(_ spot: String, over target: String) throws -> String {
        try play("press \(spot)", until: "began 1")
        return String(try play("hover \(target)", until: "over ").last?.dropFirst("over ".count) ?? "")
    }

    /// Drops what is held.
    ///
    /// - Returns: what became of it.
    func lift() throws -> String {
        try process.order("lift")
        return try outcome()
    }

    func outcome() throws -> String {
        String(try lines(until: "outcome ").last?.dropFirst("outcome ".count) ?? "")
    }

    func signal(_ signal: CInt) throws {
        try process.signal(signal)
    }

    /// Kills it, and returns once it is dead.
    func kill() throws {
        try process.kill()
    }

    /// Ends it well.
    func quit() throws {
        try process.order("quit")
        _ = try process.rest()
    }
}
