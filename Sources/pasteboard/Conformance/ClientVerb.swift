/// An action that a tested client is run for.
enum ClientVerb: String, CaseIterable {
    case paste
    case copy
    case offer

    var meaning: String {
        switch self {
        case .paste: "loads the first item of the pasteboard 'general' and writes its bytes to standard output"
        case .copy: "publishes standard input on 'general' as kept bytes of the type public.utf8-plain-text"
        case .offer:
            "publishes a promise of that type on 'general', and sends standard input whenever it is asked, until the publication ends"
        }
    }
}
