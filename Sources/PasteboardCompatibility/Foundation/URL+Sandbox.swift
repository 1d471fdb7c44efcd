public import Foundation

// What programs call around transfers of files. Foundation on Linux lacks it.
extension URL {
    /// The user's directory for documents.
    public static var documentsDirectory: URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first ?? homeDirectory
    }

    /// Returns true, because every file is accessible that the system's permissions allow.
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Does nothing.
    public func stopAccessingSecurityScopedResource() {}
}
