import DesktopClipboard
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Keeps the pasteboards and the clipboard of a desktop session the same.
struct DesktopCommand: Command {
    static let syntax = CommandSyntax(
        "desktop",
        "synchronizes the pasteboards with the desktop's clipboard",
        options: [
            .init("--wayland", "the Wayland session of WAYLAND_DISPLAY only"),
            .init("--x11", value: "DISPLAY", "only this X server, such as :1"),
            .init("--keep", "what is copied on the desktop stays when its program ends"),
            .init("--no-files", "of files that are copied on the desktop, only the list of paths crosses"),
            .init("--verbose", short: "-v", "prints one line for each event"),
            .init("--quiet", short: "-q", "suppresses notes; errors are still printed"),
        ],
        broker: .started,
        examples: """
            pasteboard desktop
            pasteboard desktop --keep --verbose
            """,
        exit: """
            that of a signal; 1 if no display is set; 3 if the broker is stopped, or the display cannot be reached at the start;
            4 if another bridge serves the display; 6 if the display refuses the connection
            """,
        files: [
            (
                "DIRECTORY/desktop-DISPLAY.lock",
                "beside the broker's socket: one bridge for each display; desktop-_0.lock for :0"
            )
        ],
        notes: """
            What a program of the desktop copies is on pasteboard general, and what it selects on pasteboard primary;
            what is on these pasteboards can be pasted on the desktop. All types cross, under the names that each side
            knows. Bytes move only when somebody pastes, except those of lists of files, and with --keep. A clear crosses, too.

            The display is that of WAYLAND_DISPLAY, else that of DISPLAY. A compositor needs ext-data-control-v1 or
            wlr-data-control-unstable-v1; with another one, such as GNOME's, the X server of DISPLAY is used, whose
            clipboard such compositors keep the same. Start it in the desktop session, or as the unit
            pasteboard-desktop.service, which 'pasteboard install --desktop' writes.

            Contents of the desktop are there as long as their program, as on the desktop itself. With --keep the broker gets
            up to 16 MiB of them immediately, of images the first format, and on X11 up to 64 MiB when a program that ends
            asks for it. On Wayland a clear looks like the end of a program: kept contents come back.

            Files that a program of the desktop copies are promised beside their list, so that 'paste --into' can paste them
            on linked machines and in containers, too. A program can list any file that you can read, which a linked machine
            can then paste; --no-files prevents this.

            What a password manager marks as a secret is sensitive here: it is never kept, and does not cross links.
            Contents with --sensitive, --transient, --local, --once or --loads have x-kde-passwordManagerHint there, so that
            clipboard histories do not store them.

            When the bridge starts, the contents of the desktop replace those of the pasteboards, unless it has none.

            When the display server ends, the bridge waits for the next one.
            """
    )

    private let bridge: StandingDesktop

    init(_ arguments: ParsedArguments) throws {
        let display = try arguments.value("--x11")
        guard display == nil || !arguments.has("--wayland") else {
            throw CommandFailure(usage: "options --wayland and --x11 cannot be combined")
        }
        var options = DesktopBridge.Options()
        options.keeps = arguments.has("--keep")
        if !arguments.has("--no-files") { options.promiseFiles = ListedItems.promise }
        options.note = { StandardStreams.note("pasteboard: desktop: \($0)") }
        if arguments.has("--verbose") { options.report = options.note }
        let choice: StandingDesktop.Choice
        do throws(Failure) {
            choice =
                if let display { .x11(try X11DisplayName(display)) } else {
                    arguments.has("--wayland") ? .wayland : .environment
                }
        } catch {
            throw CommandFailure(usage: error.text)
        }
        bridge = StandingDesktop(choice, options)
    }

    func run(on loop: Loop) async throws -> CInt {
        try await bridge.run(on: loop)
    }
}
