import TypeIdentifiers

/// Runs when a program that links this module starts, before its own code.
///
/// A type is often the first thing a program makes, long before any pasteboard of this library; and what a tag means
/// must not change while the program runs. So there is no later moment at which to do this. It only stores a closure:
/// the files are read at the first question that needs them.
@section(".init_array")
@used
private let installAtStart: @convention(c) () -> Void = {
    SharedMimeInfo.install { MimeDatabase().read() }
}
