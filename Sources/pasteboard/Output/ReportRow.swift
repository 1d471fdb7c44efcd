import PasteboardWire
import TypeIdentifiers

/// One thing that a command reports: a row of a table for people, and a JSON object for programs.
struct ReportRow: ExpressibleByArrayLiteral {
    /// A part of it.
    struct Field {
        /// Its column; nil if only programs get it.
        var cell: String?
        /// Its members; none if only people get it.
        var members: [(String, JSONValue)]

        static func json(_ name: String, _ value: JSONValue) -> Field { Field(cell: nil, members: [(name, value)]) }

        static func text(_ name: String, _ value: String?, _ cell: String? = nil) -> Field {
            Field(cell: cell ?? value ?? "-", members: [(name, JSONValue(value))])
        }

        /// - Parameter cell: by default the name and the number.
        static func number(_ name: String, _ value: (some BinaryInteger)?, _ cell: String? = nil) -> Field {
            Field(cell: cell ?? "\(name) \(value ?? 0)", members: [(name, JSONValue(value))])
        }

        static func counted(_ name: String, _ value: UInt32?, _ noun: String) -> Field {
            number(name, value ?? 0, (value ?? 0).counted(noun))
        }

        static func time(_ name: String, _ milliseconds: UInt64?, _ cell: (String) -> String = { $0 }) -> Field {
            number(name, milliseconds ?? 0, cell(TimeSpan.text(milliseconds: milliseconds ?? 0)))
        }

        static func program(_ label: String?, _ process: UInt32?) -> Field {
            Field(cell: TextTable.program(label, process), members: JSONValue.program(label, process))
        }

        static func owner(_ label: String?, _ process: UInt32?) -> Field {
            let members = JSONValue.object(JSONValue.program(label, process))
            return Field(cell: TextTable.program(label, process), members: [("owner", members)])
        }

        static func types(_ name: String, _ types: [String], none: String = "") -> Field {
            Field(
                cell: types.isEmpty ? none : types.map(UniformType.readable).joined(separator: " "),
                members: [(name, .array(types.map { .string($0) }))]
            )
        }
    }

    var cells: [String]
    var json: JSONValue

    init(arrayLiteral fields: Field...) {
        cells = fields.compactMap(\.cell)
        json = .object(fields.flatMap(\.members))
    }
}

extension StandardStreams {
    /// Prints rows: a table, or with --json an array.
    ///
    /// - Parameter width: see `TextTable.text`.
    static func print(_ rows: [ReportRow], width: Int? = nil) throws {
        try print(TextTable.text(rows.map(\.cells), width: width), json: .array(rows.map(\.json)))
    }
}

extension JSONValue {
    static func program(_ label: String?, _ process: UInt32?) -> [(String, JSONValue)] {
        [("process", JSONValue(process)), ("label", JSONValue(label))]
    }
}
