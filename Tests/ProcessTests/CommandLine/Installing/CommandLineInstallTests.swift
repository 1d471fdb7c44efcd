import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The manual pages and the units, for the programs that read them.
@Suite(.processes) struct CommandLineInstallTests {
    @Test(
        "Each command has a manual page, without a warning of mandoc",
        .enabled(if: InstalledPrograms.contains("mandoc"), "needs mandoc")
    )
    func manual() throws {
        let desk = try Desk()
        #expect(try desk.run("install", "--prefix", desk.directory.path).exitCode == 0)
        let height = "test $(mandoc -Tascii -Owidth=80 $page | wc -l) -le 80 || echo $page is long"
        let pages1 = "for page in pasteboard-*.1; do \(height); done"
        let lint = try desk.shell(
            "cd share/man/man1; mandoc -Tlint *.1; \(pages1); for page in *.1; do echo $page; done"
        )
        let pages = lint.text.split(separator: "\n")
        #expect(lint.exitCode == 0 && pages.allSatisfy { $0.hasSuffix(".1") }, "\(lint.text)")
        #expect(pages.contains("pasteboard-copy.1") && pages.contains("pasteboardd.1"))
    }

    @Test("The units are those of the documentation")
    func documentedUnits() throws {
        let desk = try Desk()
        let page = try Document("Sources/PasteboardKit/PasteboardKit.docc/CommandReference.md")
        let units = page.blocks("ini")
        #expect(units.count == 3)
        for (name, unit) in zip(["socket", "service", "desktop"], units) {
            #expect(try desk.run("units", name).text == unit)
        }
        #expect(try desk.run("units").text == units.joined(separator: "\n"))
    }

    @Test(
        "systemd accepts the units",
        .enabled(if: InstalledPrograms.contains("systemd-analyze"), "needs systemd")
    )
    func units() throws {
        let desk = try Desk()
        #expect(try desk.run("install", "--desktop", "--prefix", desk.directory.path).exitCode == 0)
        let verified = try desk.shell("systemd-analyze verify --user share/systemd/user/pasteboard*")
        let text = verified.errorText
        // It needs a manager to speak to in some containers.
        guard !text.contains("Failed to initialize manager") else { return }
        #expect(verified.exitCode == 0 && !text.contains("pasteboard"), "\(text)")
    }
}
