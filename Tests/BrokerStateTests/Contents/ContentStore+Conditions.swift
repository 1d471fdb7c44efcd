import PasteboardWire

@testable import BrokerState

// The conditions that contents and their charges must meet after each input.
extension ContentStore {
    /// - Parameters:
    /// - boards: the number of boards that are not empty.
    /// - charges: the charges of other parts of the broker.
    func brokenConditions(_ context: borrowing BrokerContext, boards: Int, charges: [Charge]) -> [String] {
        var broken = BrokenConditions()
        var charges = charges
        var kept: [KeptID] = []
        for id in writeTable.ids {
            guard let slot = writeTable.find(id) else { continue }
            charges.append(writeTable[slot].charge)
            kept += writeTable[slot].keptBytes
        }
        for id in publicationTable.ids {
            guard let slot = publicationTable.find(id) else { continue }
            charges.append(publicationTable[slot].charge)
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
        let expected = Accounting.Kept(boards: UInt64(boards), representations: UInt64(kept.count), bytes: bytes)
        let accounts = context.accounting.keptByAccount
        broken.check(context.accounting.kept == expected, "\(context.accounting.kept) is charged for \(expected)")
        broken.check(accounts == expected, "accounts hold \(accounts) of \(expected)")
        let sum = Accounting.Amount(
            objects: charges.reduce(0) { $0 + $1.amount.objects },
            metadata: charges.reduce(0) { $0 + $1.amount.metadata }
        )
        broken.check(context.accounting.held == sum, "\(context.accounting.held) is charged for \(sum)")
        return broken.all
    }
}

extension Accounting {
    fileprivate var keptByAccount: Kept {
        var sum = Kept()
        for id in accounts.ids {
            guard let slot = accounts.find(id) else { continue }
            sum.boards += accounts[slot].kept.boards
            sum.representations += accounts[slot].kept.representations
            sum.bytes += accounts[slot].kept.bytes
        }
        return sum
    }
}
