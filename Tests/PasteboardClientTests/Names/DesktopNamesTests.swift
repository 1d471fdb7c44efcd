import PasteboardClient
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

/// The types of a pasteboard as the desktop names them, and the other way.
@Suite(.pure) struct DesktopNamesTests {
    @Test(
        "The names of a program become types, each with the best of its names",
        arguments: [
            (
                ["UTF8_STRING", "text/plain;charset=utf-8", "STRING"],
                ["public.utf8-plain-text text/plain;charset=utf-8"]
            ),
            (["STRING", "UTF8_STRING", "TEXT"], ["public.utf8-plain-text UTF8_STRING"]),
            (["text/plain; charset=\"UTF-8\""], ["public.utf8-plain-text text/plain; charset=\"UTF-8\""]),
            (["text/plain", "STRING"], ["public.plain-text text/plain", "text/plain;charset=iso-8859-1 STRING"]),
            (["STRING"], ["text/plain;charset=iso-8859-1 STRING"]),
            (["COMPOUND_TEXT"], []),
            (["image/png", "IMAGE/PNG", "image/bmp"], ["public.png image/png", "com.microsoft.bmp image/bmp"]),
            (["text/html", "UTF8_STRING"], ["public.html text/html", "public.utf8-plain-text UTF8_STRING"]),
            (["_NET_ODD", "application/x-odd"], ["_NET_ODD _NET_ODD", "application/x-odd application/x-odd"]),
            (["application/x-odd", "image/png"], ["public.png image/png", "application/x-odd application/x-odd"]),
            (["", "a/b/c", "/x", "a=b"], []),
        ]
    )
    func incoming(names: [String], expected: [String]) {
        let found = DesktopNames.representations(of: names).map { representation, name in
            let type = UniformType(of: representation)
            return "\(type.isDynamic ? type.names.first ?? "" : type.identifier) \(name)"
        }
        #expect(found == expected)
    }

    @Test("A program cannot offer more types than an item may have; those that others know come first")
    func many() {
        let found = DesktopNames.representations(of: (0..<1_000).map { "application/x-\($0)" } + ["image/png"])
        #expect(found.count == WireLimits.representations && found.first?.name == "image/png")
    }

    @Test("Each type has its names, text has all spellings, and the first item with a name counts")
    func outgoing() {
        var listing = BoardListing()
        listing.items = [["public.png"], ["public.html", "public.png"]].map { types in
            var item = Item()
            item.representations = types.compactMap { UniformType($0) }.map { Representation(of: $0) }
            return item
        }
        listing.items[1].representations[1].provision = .gone
        let names = DesktopNames.names(of: listing)
        #expect(names.first?.name == "image/png" && names.first?.source == .type(.png, item: 0))
        for text in DesktopNames.text { #expect(names.contains { $0.name == text && $0.source == .text(item: 1) }) }
        #expect(Set(names.map(\.name)).count == names.count)
    }
}
