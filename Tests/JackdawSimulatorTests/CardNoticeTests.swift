import JackdawReaders
import JackdawSimulator
import Testing

/// Cards that are not swiped, at the readers of families whose drivers know what that is.
struct CardNoticeTests {
    /// Actions with a card, and the events of the family's driver.
    static let known: [(family: String, manner: Presentation.Manner, events: [String])] = [
        ("miura", .inserted, ["card: inserted"]), ("miura", .removed, ["card: removed"]),
        ("miura", .unreadable, ["card: unreadable"]),
        ("neo", .tapped, ["card: tapped", "swipe: neo 520082******8210"]),
        ("bbpos", .inserted, ["card: inserted"]), ("bbpos", .unreadable, ["card: unreadable"]),
        ("bbpos", .tapped, ["card: tapped"]), ("bbpos", .swipedInVain, ["bad swipe: BAD_SWIPE"]),
        ("bbpos", .swipedWithChip, ["bad swipe: USE_ICC_CARD"]),
        ("clovergo", .inserted, ["card: inserted"]), ("clovergo", .removed, ["card: removed"]),
        ("clovergo", .unreadable, ["card: unreadable"]), ("clovergo", .tapped, ["card: tapped"]),
        ("clovergo", .swipedInVain, ["bad swipe: SWIPE_FAILED"]),
        ("clovergo", .swipedWithChip, ["bad swipe: EMV_CARD_SWIPED_ERROR"]),
        ("epos", .inserted, ["card: inserted"]), ("epos", .removed, ["card: removed"]),
        ("magtek", .swipedInVain, ["bad swipe: no track was read"]),
        ("edynamo", .swipedInVain, ["bad swipe: no track was read"]),
        ("epos", .tapped, ["card: tapped"]), ("epos", .swipedInVain, ["bad swipe: swipe error"]),
    ]

    private func events(_ family: String, _ manners: [Presentation.Manner]) -> [String] {
        guard let card = SimulatedCard.named("chip") else { return ["no card"] }
        var rehearsal = Rehearsal(family, deck: manners.map { Presentation(card, $0) })
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(until: .armed)
        rehearsal.run(for: .seconds(10))
        let reported = rehearsal.events.map(\.description)
        return reported.filter { ["card", "swipe", "bad swipe", "dropped"].contains($0.prefix { $0 != ":" }) }
    }

    @Test(arguments: known) func aDriverReportsHowACardIsPresented(
        family: String, manner: Presentation.Manner, expected: [String]
    ) {
        #expect(events(family, [manner]) == expected)
    }

    /// A family's own tests have the events of its notices, as those above are.
    @Test(arguments: SimulatedFamily.all.map(\.name)) func everyDeclaredNoticeIsReported(family: String) throws {
        for manner in try #require(SimulatedFamily.named(family)).notices {
            #expect(events(family, [manner]) != [], "\(manner)")
        }
    }

    /// The chip is asked for, put in and taken out; in the same wait the next card is swiped.
    @Test func aWaitGoesOnAfterANotice() {
        #expect(
            events("clovergo", [.swipedWithChip, .inserted, .removed, .swiped]) == [
                "bad swipe: EMV_CARD_SWIPED_ERROR", "card: inserted", "card: removed",
                "swipe: clovergo 520082******8210",
            ])
    }

    /// No event is invented if a family's readers are not known to report one.
    @Test func unknownNoticesAreNotReported() throws {
        for simulated in SimulatedFamily.all {
            let family = simulated.name
            // A terminal that takes payments only waits for no card.
            let known = ReaderFamily.named(family)
            let dialect = try known.map { try $0.makeDialect($0.simulatedProfile) }
            guard (try? dialect?.arming(for: .seconds(20))) != nil else { continue }
            for manner in Presentation.Manner.allCases where ![.swiped, .swipedInVain].contains(manner) {
                guard !simulated.notices.contains(manner) else { continue }
                #expect(events(family, [manner]) == [], "\(family) \(manner)")
            }
        }
    }
}
