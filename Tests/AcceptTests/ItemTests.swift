import Foundation
import Testing

/// Each item of the SDK's guide that this module is for has a test of its name, or a row in docs/accept.md that says why
/// not.
struct ItemTests {
    @Test func everyItemHasATestOrARow() throws {
        let items = try GuideItems(root: ProjectFiles.root)
        #expect(items.missing.isEmpty, "\(items.missing)")
        #expect(items.rows.count <= 25)
        for row in items.rows {
            #expect(GuideItems.all.contains(row.item), "\(row.item)")
            #expect(!items.tested.contains(row.item), "\(row.item)")
            #expect(row.reason != nil, "\(row.item)")
        }
        #expect(Set(items.rows.map(\.item)).count == items.rows.count)
    }

    @Test func aRowHasOneOfThreeReasons() {
        #expect(GuideItems.Reason(cell: "Apple only") == .appleOnly)
        #expect(GuideItems.Reason(cell: "hardware only") == .hardwareOnly)
        #expect(GuideItems.Reason(cell: "later issue: hosted payments") == .laterIssue)
        for cell in ["", "not there yet", "later issue", "later issue: ", "Apple only: why", "Apple"] {
            #expect(GuideItems.Reason(cell: cell) == nil, "\(cell)")
        }
    }
}
