import Glibc
import PasteboardTransport

#if !FUZZING
extension FuzzProgram {
    static func replay(_ arguments: [SystemString]) {
        guard let target = arguments.first.flatMap({ FuzzTarget(rawValue: $0.description) }), arguments.count > 1 else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            print("usage: pasteboard-fuzz TARGET FILE ...; the targets are \(names)")
            exit(2)
        }
        for path in arguments.dropFirst() {
            do throws(SystemError) {
                let bytes = try System.contents(of: path, limit: 1 << 20)
                // If the input ends the program, its name is the last line.
                print(path)
                fflush(nil)
                target.run(bytes)
            } catch {
                print("cannot read \(path): \(error)")
                exit(2)
            }
        }
    }
}
#endif
