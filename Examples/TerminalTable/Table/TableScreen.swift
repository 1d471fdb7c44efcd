/// A table as somebody sees it in a terminal: its rows, where the cursor is, what is in the air and where it would land.
///
/// A value, drawn by ``frame(_:)``; all texts may be anything.
public struct TableScreen: Sendable, Equatable {
    /// A row.
    public enum Row: Sendable, Equatable {
        /// One that is there.
        case plain(String)
        /// One that somebody has picked up.
        case lifted(String)
        /// One that is to come, and how much of it has; nil: nobody knows.
        case placeholder(String, fraction: Double?)
    }

    /// Where a drop would land, and what it would do.
    public struct Mark: Sendable, Equatable {
        /// A place in the table.
        public enum Place: Sendable, Equatable {
            /// Between rows: before this one, or behind the last.
            case gap(before: Int)
            /// At a row.
            case row(Int)
        }

        /// Where it would land.
        public let place: Place
        /// What it would do, in words.
        public let label: String
        /// Whether it would do nothing.
        public let isRefused: Bool

        /// Marks a place.
        public init(_ place: Place, _ label: String, isRefused: Bool = false) {
            self.place = place
            self.label = label
            self.isRefused = isRefused
        }

        var style: Style { Style(isRefused ? .red : .green, isBold: true) }
    }

    /// What is in the air. Where there is no room for all of it, what would be done is told, and as much as fits of the rest.
    public struct Session: Sendable, Equatable {
        /// What it is.
        public let name: String
        /// Where it would land.
        public let place: String
        /// What a drop would do, in words.
        public let operation: String

        /// Describes a session.
        public init(_ name: String, to place: String, operation: String) {
            self.name = name
            self.place = place
            self.operation = operation
        }
    }

    /// What a key does.
    public struct Hint: Sendable, Equatable {
        /// What is written on the key.
        public let key: String
        /// What it does.
        public let meaning: String

        /// Names a key.
        public init(_ key: String, _ meaning: String) {
            self.key = key
            self.meaning = meaning
        }
    }

    /// An explanation of the keys and of the table.
    public struct Page: Sendable, Equatable {
        /// Keys, each with what it does.
        public let keys: [Hint]
        /// Sentences below them.
        public let notes: [String]

        /// Makes a page.
        public init(keys: [Hint], notes: [String]) {
            self.keys = keys
            self.notes = notes
        }
    }

    /// What the table is.
    public var title: String
    /// How it is, at the right of the title.
    public var state = ""
    /// The rows.
    public var rows: [Row] = []
    /// The row with the cursor.
    public var cursor: Int?
    /// The row to look at, if that is not the one with the cursor. The place of a drop goes before.
    public var focus: Int?
    /// The place of a drop.
    public var mark: Mark?
    /// What is in the air; nil: nothing.
    public var session: Session?
    /// What has happened last.
    public var message = ""
    /// The keys that mean something now. Where there is room for few, those at the end are kept.
    public var hints: [Hint] = []
    /// A page in place of the rows.
    public var page: Page?

    /// A table without rows.
    public init(title: String) {
        self.title = title
    }
}
