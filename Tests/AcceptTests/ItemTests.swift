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
            // A part of an item has a row beside the test of the rest.
            #expect(items.tested.contains(row.item) == row.isPart, "\(row.item)")
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

    @Test func onlyATestThatRunsCounts() {
        // Numbers that are none of this module, as this file is read, too.
        let source = """
            @testable import Accept
            struct Tests {
                /// func S1_33_aComment
                // @Test func S1_34_isLeftOut() {}
                func S1_36_helper() {}
                @Test func S1_37_S1_38_twoItems() {}
                @Test(arguments: [1, 2])
                func S1_39_withArguments(number: Int) {}
                @Test(.disabled("later")) func S1_40_isDisabled() {}
                @Test func noItem() { S1_41_S1_48_call() }
                func S1_49_helper() {}
                @Test func S1_50() {}
                @Test func aboutS1_51_item() {}
            }
            """
        #expect(GuideItems.items(testedBy: source) == ["S1-37", "S1-38", "S1-39"])
    }
}
