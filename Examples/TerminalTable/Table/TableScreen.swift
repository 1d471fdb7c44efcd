/// The view of a table in a terminal: its rows, the cursor, the current session and its drop location.
///
/// It is a value that ``frame(_:)`` draws. Its texts may be untrusted.
public struct TableScreen: Sendable, Equatable {
    /// A row.
    public enum Row: Sendable, Equatable {
        /// A normal row.
        case plain(String)
        /// A row that is being dragged.
        case lifted(String)
        /// A row whose contents have not arrived, and the fraction that has, from 0 to 1; nil if it is unknown.
        case placeholder(String, fraction: Double?)
    }

    /// The location and effect of a drop.
    public struct Mark: Sendable, Equatable {
        /// A location in the table.
        public enum Place: Sendable, Equatable {
            /// Between rows: before this row, or after the last.
            case gap(before: Int)
            /// On a row.
            case row(Int)
        }

        /// The location of the drop.
        public let place: Place
        /// The effect of the drop, in words.
        public let label: String
        /// Whether the drop would have no effect.
        public let isRefused: Bool

        /// Makes a mark.
        public init(_ place: Place, _ label: String, isRefused: Bool = false) {
            self.place = place
            self.label = label
            self.isRefused = isRefused
        }

        var style: Style { Style(color: isRefused ? .red : .green, isBold: true) }
    }

    /// The current session. If there is not enough space, the operation is shown with as much of the rest as fits.
    public struct Session: Sendable, Equatable {
        /// The name of the dragged items.
        public let name: String
        /// The location of the drop.
        public let place: String
        /// The effect of the drop, in words.
        public let operation: String

        /// Describes a session.
        public init(_ name: String, to place: String, operation: String) {
            self.name = name
            self.place = place
            self.operation = operation
        }
    }

    /// The meaning of a key.
    public struct Hint: Sendable, Equatable {
        /// The label of the key.
        public let key: String
        /// The effect of the key.
        public let meaning: String

        /// Makes a hint.
        public init(_ key: String, _ meaning: String) {
            self.key = key
            self.meaning = meaning
        }
    }

    /// A help page with the keys and notes about the table.
    public struct Page: Sendable, Equatable {
        /// The keys with their meanings.
        public let keys: [Hint]
        /// Sentences below them.
        public let notes: [String]

        /// Makes a page.
        public init(keys: [Hint], notes: [String]) {
            self.keys = keys
            self.notes = notes
        }
    }

    /// The title.
    public var title: String
    /// The state, shown at the right of the title.
    public var state = ""
    /// The rows.
    public var rows: [Row] = []
    /// The row with the cursor.
    public var cursor: Int?
    /// The row to scroll to, if it is not the row with the cursor. The location of a drop takes precedence.
    public var focus: Int?
    /// The location of a drop.
    public var mark: Mark?
    /// The current session; nil if there is none.
    public var session: Session?
    /// The last message.
    public var message = ""
    /// The keys that have an effect now. If space is short, those at the end are kept.
    public var hints: [Hint] = []
    /// A page that is shown instead of the rows.
    public var page: Page?

    /// Makes a table without rows.
    public init(title: String) {
        self.title = title
    }
}
