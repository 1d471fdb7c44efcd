import PasteboardCompatibility

extension UTType {
    static var contactCard: UTType {
        UTType(exportedAs: "com.example.contact-card", conformingTo: .data)
    }
}

/// A model object that writes and reads itself.
final class ContactCard: NSObject, Codable, Sendable {
    let name: String
    let phoneNumber: String?

    init(name: String, phoneNumber: String?) {
        self.name = name
        self.phoneNumber = phoneNumber
        super.init()
    }

    enum ContactError: Error {
        case unknownType
        case invalidVCard
    }
}

extension ContactCard: NSItemProviderWriting {
    static var writableTypeIdentifiersForItemProvider: [String] {
        [UTType.contactCard.identifier, UTType.vCard.identifier, UTType.utf8PlainText.identifier]
    }

    static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility {
        typeIdentifier == UTType.contactCard.identifier ? .ownProcess : .all
    }

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, Error?) -> Void
    ) -> Progress? {
        let progress = Progress(totalUnitCount: 1)
        switch typeIdentifier {
        case UTType.contactCard.identifier:
            do {
                completionHandler(try PropertyListEncoder().encode(self), nil)
            } catch {
                completionHandler(nil, error)
            }
        case UTType.vCard.identifier:
            completionHandler(vCard.data(using: .utf8), nil)
        case UTType.utf8PlainText.identifier:
            completionHandler(name.data(using: .utf8), nil)
        default:
            completionHandler(nil, ContactError.unknownType)
        }
        progress.completedUnitCount = 1
        return progress
    }

    private var vCard: String {
        var lines = ["BEGIN:VCARD", "VERSION:3.0", "FN:\(name)"]
        if let phoneNumber { lines.append("TEL:\(phoneNumber)") }
        return (lines + ["END:VCARD"]).joined(separator: "\r\n")
    }
}

extension ContactCard: NSItemProviderReading {
    static var readableTypeIdentifiersForItemProvider: [String] {
        [UTType.contactCard.identifier, UTType.vCard.identifier, UTType.plainText.identifier]
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> ContactCard {
        if typeIdentifier == UTType.contactCard.identifier {
            return try PropertyListDecoder().decode(ContactCard.self, from: data)
        }
        let text = String(decoding: data, as: UTF8.self)
        guard typeIdentifier == UTType.vCard.identifier else {
            return ContactCard(name: text, phoneNumber: nil)
        }
        var fields: [String: String] = [:]
        for line in text.components(separatedBy: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        guard let name = fields["FN"] else { throw ContactError.invalidVCard }
        return ContactCard(name: name, phoneNumber: fields["TEL"])
    }
}
