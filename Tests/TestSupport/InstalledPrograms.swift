import PasteboardTransport

/// The programs of this machine, which a test may need.
package enum InstalledPrograms {
    package static func contains(_ name: String) -> Bool {
        System.programDirectories().contains { System.isExecutable("\($0)/\(name)") }
    }
}
