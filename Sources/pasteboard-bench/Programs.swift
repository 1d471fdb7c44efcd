import PasteboardTransport

/// The programs of this machine.
enum Programs {
    static func installed(_ name: String) throws -> String {
        guard let path = find(name) else { throw Skip("\(name) is not installed") }
        return path
    }

    /// Finds a program in `PATH`, as the shell does.
    static func find(_ name: String) -> String? {
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { (try? System.open($0)) != nil }
    }
}

/// A C program that measures the floor for whole processes. A program in Swift would add its slower start.
enum FloorProgram {
    /// Compiles the program from the sources of this package.
    static func build(in directory: String) throws -> String {
        let sources = "\(#filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" })/CBenchFloor"
        guard try System.status(at: "\(sources)/program/main.c") != nil else {
            throw Skip("the sources of the floor are missing at \(sources)")
        }
        guard let compiler = Programs.find("cc") ?? Programs.find("clang") else { throw Skip("there is no C compiler") }
        let program = "\(directory)/floor"
        let files = ["frame.c", "ends.c", "relay.c", "program/main.c"].map { "\(sources)/\($0)" }
        let options = ["-O2", "-I\(sources)/include", "-I\(sources)", "-o", program]
        let configuration = ChildProcess.Configuration(path: compiler, arguments: options + files)
        guard try ChildProcess(configuration).wait() == .exited(0) else { throw Skip("\(compiler) failed") }
        return program
    }
}
