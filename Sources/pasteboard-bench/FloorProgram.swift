import PasteboardTransport

/// The floor for whole processes. It is a C program because Swift programs start more slowly.
enum FloorProgram {
    /// Compiles it from the sources from which this program was built.
    static func build(in directory: String) throws -> String {
        let sources = "\(#filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" })/CBenchFloor"
        guard try System.status(at: "\(sources)/program/main.c") != nil else {
            throw Skip("the sources of the floor are not at \(sources) any more")
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
