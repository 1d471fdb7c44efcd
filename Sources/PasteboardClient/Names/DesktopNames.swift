package import PasteboardWire
package import TypeIdentifiers

/// The names by which programs for X11 and Wayland know what a pasteboard has.
package enum DesktopNames {
    /// The names of plain text as UTF-8, which are listed for each text, the preferred one first.
    package static let text = ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT"]

    /// The source of the bytes of a name.
    package enum Source: Sendable, Equatable {
        case type(UniformType, item: Int)
        /// Any text of an item, as UTF-8.
        case text(item: Int)
        /// The files that were copied, as a list.
        case files(UniformType)
    }

    /// The accept list of a load of any text, plain text before other text, and an encoding that can represent every
    /// character before others.
    package static let textAccepts: [Accept] =
        (UniformType.unicodeTexts + [.plainText, .text]).map { Accept($0.identifier) }
        + UniformType.textualFormats.map { Accept($0.identifier, match: .exact) }

    /// The names of what a pasteboard has, in its order, each once. Of several items, the first that has a name counts.
    package static func names(of listing: BoardListing) -> [(name: String, source: Source)] {
        var names: [(name: String, source: Source)] = []
        // On another machine or in another container the paths of a list are not valid.
        let isForeign = listing.items.beginWithTheirList && !listing.items[0].isListOfFiles
        for (index, item) in listing.items.enumerated() {
            for representation in item.representations where representation.provision != .gone {
                let type = UniformType(of: representation)
                if type == FileList.followed || isForeign && index == 0 && FileList.types.contains(type) { continue }
                names += type.names.map { ($0, .type(type, item: index)) }
                if type.isText, TextReader.reads(type) { names += text.map { ($0, .text(item: index)) } }
            }
        }
        if FileList(of: listing.items) != nil {
            for type in FileList.types { names += type.names.map { ($0, .files(type)) } }
        }
        var known: Set<String> = []
        return names.filter { known.insert($0.name).inserted }
    }

    /// The promised representations of what a program offers by names, and the name by which each is loaded.
    ///
    /// All spellings of plain text are one type, which is loaded by the best of them. Types that only their program
    /// knows are last: programs of the desktop list them in any place, and the first type is the preferred one.
    package static func representations(of names: [String]) -> [(representation: Representation, name: String)] {
        var found: [(representation: Representation, name: String)] = []
        func add(_ type: UniformType, _ name: String) {
            guard !found.contains(where: { $0.representation.type.lowercased() == type.identifier.lowercased() }) else {
                return
            }
            found.append((Representation(of: type), name))
        }
        let folded = names.map { $0.lowercased().filter { $0 != " " && $0 != "\"" } }
        // X11's own name for UTF-8 is better than a MIME type, which may be another program's bytes.
        let best = ["text/plain;charset=utf-8", "utf8_string", "text/plain;charset=utf8"].lazy
            .compactMap { folded.firstIndex(of: $0) }.first
        for (name, folded) in zip(names, folded) {
            switch folded {
            case "text/plain;charset=utf-8", "text/plain;charset=utf8", "utf8_string", "text/plain", "string", "text",
                "compound_text":
                if let best {
                    add(.utf8PlainText, names[best])
                } else if folded == "text/plain" || folded == "text" {
                    add(.plainText, name)
                } else if folded == "string", let type = UniformType.fromName("text/plain;charset=iso-8859-1") {
                    add(type, name)
                }
            default: if let type = UniformType.fromName(name) { add(type, name) }
            }
        }
        let known = found.filter { !UniformType(of: $0.representation).isDynamic }
        let others = found.filter { UniformType(of: $0.representation).isDynamic }
        return Array((known + others).prefix(WireLimits.representations))
    }
}
