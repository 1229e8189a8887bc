import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// The elements of cards, by the names that drivers give them, are distinguished by their function.
@Suite struct MixerControlTests {
    private static func names(_ mixer: Mixer, _ role: MixerControl.Role) -> [String] {
        mixer.controls(role).map(\.description)
    }

    @Test func aCardsElementsHaveTheirRoles() throws {
        let mixer = try MixerBench().mixer()
        #expect(Self.names(mixer, .captureLevel) == ["Capture capture volume", "Capture capture switch"])
        #expect(Self.names(mixer, .captureBoost) == ["Mic Boost playback volume"])
        #expect(Self.names(mixer, .captureSource) == ["Input Source choice"])
        #expect(Self.names(mixer, .automaticGain) == ["Auto Gain Control playback switch"])
        #expect(Self.names(mixer, .loopThrough) == ["Mic playback volume", "Mic playback switch"])
        #expect(Self.names(mixer, .playbackLevel) == ["Master playback volume", "Master playback switch"])
        #expect(!mixer.controls.contains { $0.name == "Mystery" })
        #expect(mixer.controls(.captureLevel).first?.kind == .volume(decibels: -17...30.25))
        #expect(mixer.controls(.captureSource).first?.kind == .choice(["Mic", "Line"]))
    }

    /// USB headsets call everything by the name of the socket.
    @Test func aHeadsetsMicrophoneIsItsCaptureLevel() throws {
        let stereo = MixerElement.Abilities(channels: [0, 1], hasVolume: true, hasSwitch: true)
        let mono = MixerElement.Abilities(channels: [0], hasVolume: true, hasSwitch: true)
        let card = ScriptedCard([
            .init(element: MixerElement(name: .init(name: "Speaker"), playback: stereo)),
            .init(element: MixerElement(name: .init(name: "Mic"), capture: mono, playback: stereo)),
        ])
        let mixer = try MixerBench(card).mixer()
        #expect(Self.names(mixer, .captureLevel) == ["Mic capture volume", "Mic capture switch"])
        #expect(Self.names(mixer, .loopThrough) == ["Mic playback volume", "Mic playback switch"])
        #expect(mixer.controls(.captureLevel).first?.kind == .volume(decibels: nil))
    }

    /// A switch that selects an input, and an element that is switched off, are nothing to mute.
    @Test func selectingSwitchesAndInactiveElementsAreLeftOut() throws {
        let exclusive = MixerElement.Abilities(channels: [0, 1], hasSwitch: true, isExclusive: true)
        let volume = MixerElement.Abilities(channels: [0, 1], hasVolume: true)
        let card = ScriptedCard([
            .init(element: MixerElement(name: .init(name: "Line"), capture: exclusive)),
            .init(element: MixerElement(name: .init(name: "Capture"), isActive: false, capture: volume)),
        ])
        #expect(try MixerBench(card).mixer().controls.isEmpty)
    }

    @Test func aVolumeForBothDirectionsIsNoWayToTheOutput() throws {
        let volume = MixerElement.Abilities(channels: [0], hasVolume: true)
        var element = MixerElement(name: .init(name: "Mic"), capture: volume, playback: volume)
        element.hasCommonVolume = true
        let mixer = try MixerBench(ScriptedCard([.init(element: element)])).mixer()
        #expect(mixer.controls.map(\.role) == [.captureLevel])
    }

    /// "Capture" stands before the inputs, wherever the driver lists it.
    @Test func theLikeliestControlComesFirst() throws {
        let volume = MixerElement.Abilities(channels: [0], hasVolume: true)
        let card = ScriptedCard(
            ["Line", "Mic", "Capture"].map { .init(element: MixerElement(name: .init(name: $0), capture: volume)) })
        #expect(try MixerBench(card).mixer().controls(.captureLevel).map(\.name) == ["Capture", "Mic", "Line"])
    }

    /// A lowest step that mutes is marked with -99,999.99 dB, which is not a gain; and some drivers report nonsense.
    @Test(arguments: [
        (-9_999_999...0, nil as ClosedRange<Double>?), (-9_999_999 ... -9_999_999, nil), (100...100, nil),
        (-3_000...900, -30...9),
    ])
    func rangesInDecibelsMakeSense(reported: ClosedRange<Int>, used: ClosedRange<Double>?) throws {
        let volume = MixerElement.Abilities(channels: [0], hasVolume: true)
        let element = MixerElement(name: .init(name: "Capture"), capture: volume)
        let card = ScriptedCard([.init(element: element, volumes: 0...1, decibels: reported)])
        #expect(try MixerBench(card).mixer().controls.first?.kind == .volume(decibels: used))
    }
}
