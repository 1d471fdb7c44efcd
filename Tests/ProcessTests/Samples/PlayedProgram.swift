import Glibc
import Testing

/// An example program that plays a script, with the test as the script.
final class PlayedProgram {
    private let process: PeerProcess

    init(_ program: String, _ arguments: String..., at desk: Desk) throws {
        process = try PeerProcess(program, arguments, environment: desk.environment)
        try process.expect("ready")
    }

    /// Sends steps, and waits for a line with this beginning.
    ///
    /// - Returns: all lines up to and including that one.
    @discardableResult
    func play(_ steps: String, until beginning: String) throws -> [String] {
        try process.order(steps)
        return try lines(until: beginning)
    }

    /// Waits for a line with this beginning.
    ///
    /// - Returns: all lines up to and including that one.
    @discardableResult
    func lines(until beginning: String) throws -> [String] {
        var lines: [String] = []
        repeat { lines.append(try process.line()) } while !lines[lines.count - 1].hasPrefix(beginning)
        return lines
    }

    /// The rows that a table shows.
    func rows(_ label: String? = nil) throws -> [String] {
        let beginning = label.map { "row \($0) " } ?? "row "
        return try play("show\nsay shown", until: "said shown").filter { $0.hasPrefix(beginning) }.map { line in
            String(line.dropFirst(beginning.count).drop { $0 != " " }.dropFirst())
        }
    }

    /// Begins a drag and moves it.
    ///
    /// - Returns: the proposal.
    func drag(_ spot: String, over target: String) throws -> String {
        try play("press \(spot)", until: "began 1")
        return String(try play("hover \(target)", until: "over ").last?.dropFirst("over ".count) ?? "")
    }

    /// Drops the current drag.
    ///
    /// - Returns: its outcome.
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

    /// Kills the program and waits until it is dead.
    func kill() throws {
        try process.kill()
    }

    /// Ends the program successfully.
    func quit() throws {
        try process.order("quit")
        _ = try process.rest()
    }
}
