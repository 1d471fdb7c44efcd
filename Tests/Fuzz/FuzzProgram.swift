import Glibc
import PasteboardTransport

/// Passes inputs to a fuzzing target. `.ci/fuzz` builds this program with the compiler's fuzzer, which finds inputs.
/// An ordinary build passes the files in its arguments, so that a finding can be replayed and debugged.
@main
enum FuzzProgram {
    static func main() {
        // The outcome must not depend on the MIME database of the machine.
        for name in ["XDG_DATA_HOME", "XDG_DATA_DIRS"] { setenv(name, "/nonexistent", 1) }
        #if FUZZING
        fuzz()
        #else
        replay(System.arguments)
        #endif
    }
}

/// Ends the program: an input has shown a fault. The fuzzer saves the input.
func fault(_ what: String) -> Never {
    fatalError(what)
}

/// Ends the program unless a condition holds.
func check(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fault(what()) }
}
