/// An action that a tested client is run for.
enum ClientVerb: String {
    case paste
    case copy
    case offer
}
