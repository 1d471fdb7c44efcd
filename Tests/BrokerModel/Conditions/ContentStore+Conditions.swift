import PasteboardWire

@testable import BrokerState

// The conditions that contents and their charges must meet after each input.
extension ContentStore {
    /// - Parameters:
    /// - boards: the number of boards, besides the general one, that are not empty.
    /// - charges: the charges of other parts of the broker.
    func brokenConditions(_ context: borrowing BrokerContext, boards: Int, charges: [Charge]) -> [String] {
        var broken = BrokenConditions()
        var charges = charges
        var kept: [KeptID] = []
        for id in writeTable.ids {
            guard let slot = writeTable.find(id) else { continue }
            charges.append(writeTable[slot].charge)
            broken.check(context.accounting.accounts.holds(writeTable[slot].charge.account), "\(id) has no account")
            kept += writeTable[slot].keptBytes
        }
        for id in publicationTable.ids {
            guard let slot = publicationTable.find(id) else { continue }
            let charge = publicationTable[slot].charge
            charges.append(charge)
            broken.check(context.accounting.accounts.holds(charge.account), "\(id) has no account")
            kept += publicationTable[slot].keptBytes
            let isHeld = publicationTable[slot].isCurrent || publicationTable[slot].openLoads > 0
            broken.check(isHeld, "\(id) is held by nobody")
        }
        broken.check(
            Set(kept) == Set(keptTable.ids) && Set(kept).count == kept.count,
            "kept bytes have no owner, or several"
        )
        var bytes: UInt64 = 0
        for id in keptTable.ids {
            guard let slot = keptTable.find(id) else { continue }
            let (charged, count) = (keptTable[slot].charged, keptTable[slot].count)
            bytes += charged
            broken.check(charged >= count, "\(id): \(count) bytes, \(charged) charged")
        }
        for (resource, expected) in [
            (Accounting.Resource.boards, UInt64(boards)), (.keptRepresentations, UInt64(kept.count)),
            (.keptBytes, bytes), (.objects, charges.reduce(0) { $0 + $1.amount.objects }),
            (.metadata, charges.reduce(0) { $0 + $1.amount.metadata }),
        ] {
            let total = context.accounting.total(of: resource)
            let held = context.accounting.sum(of: resource)
            broken.check(total == expected, "\(total) \(resource) are charged for \(expected)")
            broken.check(held == expected, "accounts hold \(held) of \(expected) \(resource)")
        }
        return broken.all
    }
}

extension Accounting {
    /// The units that the accounts hold.
    func sum(of resource: Resource) -> UInt64 {
        accounts.ids.reduce(0) { $0 + held(by: $1, of: resource) }
    }
}
