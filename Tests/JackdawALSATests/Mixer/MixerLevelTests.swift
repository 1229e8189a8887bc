import Glibc
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Levels are set in shares and in dB, to the nearest that the card has.
@Suite struct MixerLevelTests {
    private static func control(_ mixer: Mixer, _ role: MixerControl.Role, isVolume: Bool) throws -> MixerControl {
        try #require(mixer.controls(role).first { $0.isVolume == isVolume })
    }

    @Test func aVolumeIsReadAsShareAndDecibels() throws {
        let mixer = try MixerBench().mixer()
        let volume = try mixer.volume(of: Self.control(mixer, .captureLevel, isVolume: true))
        #expect(volume.share == 24.0 / 63)
        #expect(volume.decibels == 1)
    }

    @Test(arguments: zip([0, 1, 0.5, -3, 7, Double.nan, .infinity], [0, 63, 32, 0, 63, 0, 63]))
    func aShareSetsAllChannels(share: Double, step: Int) throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        let volume = try mixer.setVolume(Self.control(mixer, .captureLevel, isVolume: true), share: share)
        #expect(bench.card.level("Capture", "volume capture 0") == step)
        #expect(bench.card.level("Capture", "volume capture 1") == step)
        #expect(volume.share == Double(step) / 63)
    }

    /// Steps of this card are 0.75 dB.
    @Test(arguments: zip([-17, 0.3, 0.2, 100, -100, -Double.infinity], [-17, 0.25, 0.25, 30.25, -17, -17]))
    func decibelsSetTheNearestStep(wanted: Double, got: Double) throws {
        let mixer = try MixerBench().mixer()
        let volume = try mixer.setVolume(Self.control(mixer, .captureLevel, isVolume: true), decibels: wanted)
        #expect(volume.decibels == got)
    }

    @Test func callsThatDoNotFitTheControlAreUnsupported() throws {
        let mixer = try MixerBench().mixer()
        let volume = try Self.control(mixer, .captureLevel, isVolume: true)
        let toggle = try Self.control(mixer, .captureLevel, isVolume: false)
        let choice = try Self.control(mixer, .captureSource, isVolume: false)
        #expect(linkFailure { try mixer.setOn(volume, true) }?.code == .unsupported)
        #expect(linkFailure { try mixer.setVolume(toggle, share: 0) }?.code == .unsupported)
        #expect(linkFailure { try mixer.setVolume(choice, decibels: 0) }?.code == .unsupported)
        #expect(linkFailure { try mixer.choose(2, of: choice) }?.code == .unsupported)
        #expect(linkFailure { try mixer.choose(-1, of: choice) }?.code == .unsupported)
        let other = MixerControl(
            role: .captureLevel, name: "Other", index: 0, direction: .capture, kind: .toggle, channels: [0])
        #expect(linkFailure { try mixer.setOn(other, true) }?.code == .unsupported)
        #expect(mixer.changed.isEmpty)
    }

    @Test func automaticGainIsTurnedOffOnce() throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        #expect(try mixer.turnAutomaticGainOff())
        #expect(bench.card.level("Auto Gain Control", "toggle playback 0") == 0)
        #expect(try !mixer.turnAutomaticGainOff())
    }

    /// The switch does it; the volume beside it stays.
    @Test func mutingTurnsSwitchesOff() throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        #expect(try mixer.mute(.loopThrough))
        #expect(bench.card.level("Mic", "toggle playback 0") == 0)
        #expect(bench.card.level("Mic", "volume playback 0") == 5)
        #expect(try mixer.unmute(.loopThrough))
        #expect(bench.card.level("Mic", "toggle playback 1") == 1)
    }

    @Test func aVolumeWithoutSwitchIsMutedByItself() throws {
        let volume = MixerElement.Abilities(channels: [0], hasVolume: true)
        let card = ScriptedCard([
            .init(
                element: MixerElement(name: .init(name: "Sidetone"), playback: volume), volumes: -3...8,
                values: ["volume playback 0": 4])
        ])
        let mixer = try MixerBench(card).mixer()
        #expect(try mixer.mute(.loopThrough))
        #expect(card.level("Sidetone", "volume playback 0") == -3)
        #expect(try !mixer.unmute(.loopThrough))
    }

    @Test func anInputIsChosen() throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        let source = try Self.control(mixer, .captureSource, isVolume: false)
        try mixer.choose(1, of: source)
        #expect(try mixer.choice(of: source) == 1)
        #expect(bench.card.level("Input Source", "choice 0") == 1)
    }

    /// The volume goes up to 30.25 dB, the boost has 0, 10, 20 and 30 dB.
    @Test(arguments: [(-17.0, 0, -17.0), (0.25, 0, 0.25), (30.25, 0, 30.25), (31, 1, 31), (50, 2, 50), (99, 3, 60.25)])
    func theGainUsesAsLittleBoostAsWillDo(wanted: Double, boost: Int, got: Double) throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        let gain = try #require(try mixer.setCaptureGain(wanted))
        #expect(gain.range == -17...60.25)
        #expect(bench.card.level("Mic Boost", "volume playback 1") == boost)
        #expect((gain.decibels - got).magnitude < 0.4)
        #expect(!gain.isNominal)
    }

    /// The boost of the microphone does nothing for another input.
    @Test func anotherInputsBoostIsLeftAlone() throws {
        let bench = MixerBench()
        bench.card.set("Input Source", "choice 0", 1)
        let mixer = try bench.mixer()
        #expect(try mixer.setCaptureGain(99)?.range == -17...30.25)
        #expect(bench.card.level("Mic Boost", "volume playback 0") == 1)
    }

    @Test func aRangeWithoutDecibelsHasNominalGain() throws {
        let volume = MixerElement.Abilities(channels: [0], hasVolume: true)
        let card = ScriptedCard([
            .init(
                element: MixerElement(name: .init(name: "Mic"), capture: volume), volumes: 0...16,
                values: ["volume capture 0": 8])
        ])
        let mixer = try MixerBench(card).mixer()
        #expect(try mixer.captureGain() == CaptureGain(decibels: 15, range: 0...30, isNominal: true))
        try mixer.setCaptureGain(22.5)
        #expect(card.level("Mic", "volume capture 0") == 12)
    }

    @Test func aCardWithoutCaptureHasNoGain() throws {
        let mixer = try MixerBench(ScriptedCard([])).mixer()
        #expect(try mixer.captureGain() == nil)
        #expect(try mixer.setCaptureGain(3) == nil)
    }

    @Test(arguments: [(ENOENT, LinkError.Code.notFound), (EACCES, .notPermitted), (EBUSY, .busy), (EIO, .system)])
    func errorsOfOpeningHaveTheirCode(number: CInt, code: LinkError.Code) throws {
        let bench = MixerBench()
        for function in ["snd_mixer_open", "snd_mixer_attach", "snd_mixer_selem_register", "snd_mixer_load"] {
            bench.card.fail { _, name in name == function ? number : nil }
            let error = try #require(linkFailure { _ = try bench.mixer() })
            #expect(error.code == code)
            #expect(error.underlying?.hasPrefix(function) == true)
            #expect(bench.card.openMixers == 0)
        }
    }
}
