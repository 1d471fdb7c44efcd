import TypeIdentifiers

/// Installs the MIME database. It runs when a program that links this module starts, before the program's own code.
///
/// A program often makes types long before it uses a pasteboard, and the meaning of a tag must not change while the
/// program runs. So a later installation would be too late. This stores only a closure: the files are read at the first
/// lookup that needs them.
@section(".init_array")
@used
private let installAtStart: @convention(c) () -> Void = {
    SharedMimeInfo.install { MimeDatabase().read() }
}
