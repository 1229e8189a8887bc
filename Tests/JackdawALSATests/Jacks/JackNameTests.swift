import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Which elements are jacks, and what belongs into them.
@Suite struct JackNameTests {
    private static let kinds: [(String, Jack.Kind)] = [
        ("Mic", .microphone), ("Front Mic", .microphone), ("Headset Mic", .microphone), ("Dock Mic", .microphone),
        ("Mic - Input", .microphone), ("HDA Intel PCH Rear Mic", .microphone), ("Microphone", .microphone),
        ("Headphone", .headphone), ("Front Headphone", .headphone), ("HP", .headphone), ("Headphones", .headphone),
        ("Headset", .headset), ("Headphone Mic", .headset), ("Headset - Output", .headset),
        ("Line", .line), ("Line Out", .line), ("Line Out Front", .line),
        ("HDMI/DP,pcm=3", .other), ("Speaker", .other), ("Dynamic", .other), ("Chip", .other), ("Pipeline", .other),
        ("", .other),
    ]

    @Test(arguments: kinds) func theKindOfAJackFollowsFromItsName(name: String, kind: Jack.Kind) {
        #expect(Jack.Kind(naming: name) == kind)
    }

    @Test func jacksAreReadableBooleansOfTheCard() {
        let jack = ControlElement.jack(4, "Front Mic Jack").jack
        #expect(jack?.name == "Front Mic")
        #expect(jack?.kind == .microphone)
        let others = [
            ControlElement(number: 4, name: "Mic Jack", index: 0, isOfCard: false, isReadableBoolean: true),
            ControlElement(number: 4, name: "Mic Jack", index: 0, isOfCard: true, isReadableBoolean: false),
            .jack(4, "Mic Jack Mode"), .jack(4, "Auto-Mute"), .jack(4, "Blackjack"), .jack(4, " Phantom Jack"),
            .jack(4, "Mic Phantom Jack"), .jack(4, "Line Out Phantom Jack"),
        ]
        for element in others { #expect(element.jack == nil, "\(element)") }
    }

    /// Drivers number jacks of one name.
    @Test func jacksOfOneNameAreNumbered() {
        #expect(ControlElement.jack(4, "Mic Jack", index: 1).jack?.name == "Mic 2")
        #expect(ControlElement.jack(4, "Mic Jack", index: 1).jack?.kind == .microphone)
    }
}
