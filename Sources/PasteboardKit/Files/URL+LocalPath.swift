import FoundationEssentials

extension URL {
    /// Returns the path of a file URL to which a load or a move writes.
    ///
    /// - Parameter action: the start of the error's message; the URL follows.
    /// - Throws: `invalidArgument` if the URL does not name a file of this system. `path` alone does not show that: it
    ///   is empty if the path is not UTF-8, and it does not decode NUL and slashes, so that `a%00b` would become a
    ///   name.
    func localPath(_ action: String) throws(PasteboardError) -> String {
        guard isFileURL else {
            throw PasteboardError(.invalidArgument, message: "\(action) \(absoluteString): it is not a file URL")
        }
        let (path, encoded) = (self.path, self.path(percentEncoded: true))
        guard path.hasPrefix("/"), !["%00", "%2F", "%2f"].contains(where: { encoded.contains($0) }) else {
            throw PasteboardError(
                .invalidArgument,
                message: "\(action) \(absoluteString): the URL has to contain an absolute path, "
                    + "in UTF-8 and without an escaped NUL or slash"
            )
        }
        return path
    }
}
