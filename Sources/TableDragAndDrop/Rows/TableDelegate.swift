/// A delegate of a table. It has no requirements: what it decides is the appearance, and a user's actions in it.
@MainActor
public protocol TableDelegate: AnyObject {}
