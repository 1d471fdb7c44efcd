import Glibc
import PasteboardTransport

#if FUZZING
// The fuzzer runs itself again for some of its jobs, with its own arguments. So the environment names the target.
private let target: FuzzTarget = {
    guard let target = System.environment("PASTEBOARD_FUZZ_TARGET").flatMap({ FuzzTarget(rawValue: $0) }) else {
        fault("PASTEBOARD_FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

/// The fuzzer of the compiler's runtime. It calls `body` with inputs until one of them ends the program.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

extension FuzzProgram {
    static func fuzz() -> Never {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runFuzzer(&count, &arguments) { bytes, count in
                target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        )
    }
}
#endif
