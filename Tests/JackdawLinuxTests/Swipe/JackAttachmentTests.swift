import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
@testable import JackdawLinux

/// Whether something is in the jack, by what a card senses and a program says.
@Suite(.timeLimit(.minutes(30)))
struct JackAttachmentTests {
    /// Reports when the last reader ends.
    private final class EndingSource: JackSource {
        private let base: ElementJacks
        private let ended: Shared<Int>

        init(_ device: ScriptedDevice, _ ended: Shared<Int>) throws(SystemFailure) {
            base = try ElementJacks(device)
            self.ended = ended
        }

        deinit { ended.with { $0 += 1 } }

        var initialStates: [JackState] { base.initialStates }
        var descriptors: [PollDescriptor] { base.descriptors }
        func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading] { try base.read(answered) }
    }

    private let waiting = ScriptedWaiting()
    private let ended = Shared(0)

    private func attachment(
        _ cards: [ScriptedDevice], _ sensing: JackSensing = .automatic, pauses: Shared<Int> = Shared(0)
    ) -> JackAttachment {
        waiting.answer { number in cards.first { $0.descriptor == number }?.answer ?? .invalid }
        let opened = Shared(0)
        return JackAttachment(sensing, pause: { pauses.with { $0 += 1 } }) { [waiting, ended] () throws(LinkError) in
            let number = opened.with { opened in
                defer { opened += 1 }
                return opened
            }
            guard number < cards.count, let source = try? EndingSource(cards[number], ended) else { return nil }
            return JackMonitor(link: "hw:0", sources: [source], waiting: waiting)
        }
    }

    private static func states(_ jacks: String) -> [JackState] {
        jacks.split(separator: ",").map { word in
            let name = String(word.dropFirst())
            let jack = Jack(name: name, kind: Jack.Kind(naming: name), origin: .element(1))
            return JackState(jack: jack, isPlugged: word.hasPrefix("+"))
        }
    }

    @Test(arguments: [
        ("+Headphone,-Mic", true), ("-Headphone,+Mic", false), ("-Headphone,+Headphone Mic", true),
        ("+Mic,-Line", true), ("-Front Mic,-Rear Mic", false), ("-Headphone,-Front Headphone,+Line Out", false),
        ("+Line Out", nil), ("", nil), ("+HDMI", nil), ("+Headset,-Headphone", true),
    ])
    func theStateOfTheJacksShowsAnAttachedReader(jacks: String, isAttached: Bool?) {
        #expect(JackAttachment.isAttached(Self.states(jacks)) == isAttached)
    }

    @Test func plugsAreReportedAndTheThreadEndsWithTheStream() async {
        let card = ScriptedDevice(11, [(.jack(1, "Mic Jack"), false), (.jack(2, "Headphone Jack"), false)])
        for (number, time) in [Int64(1_000), 2_000, 3_000].enumerated() {
            waiting.at(time) { card.turn(2, number % 2 == 0) }
            waiting.at(time + 300) { card.turn(1, number % 2 == 0) }
        }
        var reported: [Bool] = []
        for await isAttached in attachment([card]).changes() {
            reported.append(isAttached)
            if reported.count == 4 { break }
        }
        #expect(reported == [false, true, false, true])
        try? await ended.until { $0 == 1 }
    }

    /// A card that is unplugged and comes back.
    @Test func aDisconnectedCardIsWaitedFor() async {
        let first = ScriptedDevice(11, [(.jack(1, "Headphone Jack"), true)])
        let second = ScriptedDevice(12, [(.jack(1, "Headphone Jack"), true)])
        waiting.at(700) { first.controlEvents.append(.failure(SystemFailure(code: ENODEV))) }
        let pauses = Shared(0)
        var reported: [Bool] = []
        for await isAttached in attachment([first, second], pauses: pauses).changes() {
            reported.append(isAttached)
            if reported.count == 3 { break }
        }
        #expect(reported == [true, false, true])
        #expect(pauses.with { $0 } == 1)
        try? await ended.until { $0 == 2 }
    }

    @Test(arguments: [JackSensing.automatic, .manual])
    func withoutJackDetectionTheProgramDecides(sensing: JackSensing) async {
        let attachment = attachment([], sensing)
        var reported: [Bool] = []
        for await isAttached in attachment.changes() {
            reported.append(isAttached)
            if reported.count == 4 { break }
            attachment.set(isAttached)
            attachment.set(!isAttached)
        }
        #expect(reported == [false, true, false, true])
        // A later listener gets the state at that time.
        for await isAttached in attachment.changes() {
            #expect(isAttached)
            break
        }
    }

    @Test func aDetectedPlugOverridesTheProgram() async {
        let attachment = attachment([ScriptedDevice(11, [(.jack(1, "Headphone Jack"), false)])])
        attachment.set(true)
        for await isAttached in attachment.changes() {
            #expect(!isAttached)
            break
        }
    }

    @Test func aPermanentAttachmentIsNotDetected() async {
        let attachment = attachment([ScriptedDevice(11, [(.jack(1, "Headphone Jack"), false)])], .always)
        attachment.set(false)
        for await isAttached in attachment.changes() {
            #expect(isAttached)
            break
        }
        #expect(ended.with { $0 } == 0)
    }

    @Test(arguments: [
        ("Mic Jack", false, true, true), ("Mic Jack", true, true, false), ("Mic Jack", false, false, false),
        ("Headset Jack", false, true, false), ("Line Jack", false, true, false),
        ("Headset Mic Jack", false, true, true),
    ])
    func aCardIsDeafWithoutAMicrophone(name: String, isIn: Bool, hasHeadphone: Bool, isDeaf: Bool) {
        let jacks: [(ControlElement, Bool)] = [(.jack(1, name), isIn), (.jack(2, "Headphone Jack"), hasHeadphone)]
        #expect(attachment([ScriptedDevice(11, jacks)]).isDeaf() == isDeaf)
        #expect(!attachment([ScriptedDevice(11, jacks)], .always).isDeaf())
    }
}
