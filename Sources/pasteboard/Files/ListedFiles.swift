import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Collects a list of files, and then copies these files into a directory.
final class ListedFiles: PasteSink {
    private static let mostBytes = 1 << 20

    /// The output of the list itself, if it is not one of files.
    private let output: DirectoryOutput
    private var list: [UInt8] = []
    /// Called repeatedly while the files are copied; an error that it throws ends the copy.
    var check: () throws -> Void

    var leavesFile: Bool { true }
    var descriptor: CInt? { nil }

    init(_ output: DirectoryOutput, check: @escaping () throws -> Void = {}) {
        self.output = output
        self.check = check
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        try output.begin(type, isArchive: isArchive, suggestedName: suggestedName, file: file)
    }

    func write(_ bytes: Span<UInt8>) throws {
        list.append(copying: bytes)
        guard list.count <= Self.mostBytes else {
            throw Failure(
                .tooLarge,
                "the list of files is larger than \(ByteCount.text(UInt64(Self.mostBytes))), so its files are not copied; "
                    + "use paste -t text/uri-list to get the list"
            )
        }
    }

    func failure(_ error: SystemError) -> (any Error)? { output.failure(error) }

    func finish() throws -> [SystemString] {
        let bytes = list
        guard let list = FileList(parsing: bytes) else {
            try output.write(bytes.span)
            return try output.finish()
        }
        if list.isCut {
            StandardStreams.remark(
                "the list says 'cut', but its files are only copied; delete the originals if you do not need them"
            )
        }
        return try list.paths.flatMap(copy)
    }

    private func copy(_ path: SystemString) throws -> [SystemString] {
        try check()
        // Opening a pipe would block until it has a writer.
        let kind = try explaining("cannot read", path) {
            let file = try System.open(path, .nameOnly)
            return try System.status(of: file.raw).kind
        }
        guard [.regular, .directory].contains(kind) else {
            throw CommandFailure(local: "cannot copy \(path), because it is a \(kind)")
        }
        let input = try InputBytes(path)
        let output = DirectoryOutput(in: self.output.directory, isLasting: self.output.isLasting)
        let type = input.folder == nil ? UniformType.forFile(named: path.description) : .folder
        try output.begin(type, isArchive: input.folder != nil, suggestedName: nil, file: input.attributes)
        // Some files of the system have bytes, but no size.
        if let file = input.file, let size = input.size, size > 0 {
            try PassedFile(descriptor: file, byteCount: size, isImmutable: false)
                .copy(to: output.descriptor) { _ in
                    try check()
                } write: {
                    try output.write($0)
                }
        } else {
            while case let bytes = try input.next(), !bytes.isEmpty {
                try check()
                try output.write(bytes.span)
            }
        }
        return try output.finish()
    }
}
