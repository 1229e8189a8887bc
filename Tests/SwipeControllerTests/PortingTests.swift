import JackdawReaders
import JackdawTestSupport
import Testing

@testable import SwipeController

/// What the vendor's text promises and other tests show only on the way, item by item.
@Suite struct PortingTests {
    private static let unprompted: @Sendable (inout UniMagSettings) -> Void = {
        $0.options.activateReaderWithoutPromptingUser = true
    }

    private func ready(
        _ thing: MachineWorld.Thing, _ type: AudioJackReaderType,
        _ change: @escaping @Sendable (inout UniMagSettings) -> Void = unprompted
    ) -> MachineWorld {
        var world = MachineWorld(type)
        world.call(.configure(change))
        world.attach(thing)
        world.run()
        return world
    }

    // MARK: the controller

    @Test(arguments: AudioJackReaderType.allCases) func S0_06_aControllerBeginsWithItsType(type: AudioJackReaderType) {
        let controller = PGSwipeController(SimulatedEnvironment(), delegate: nil, audioReader: type)
        #expect(controller.audioJackReaderType == type)
    }

    @Test func S0_07_oneReaderHasTheSoundCardAtATime() async {
        var world = ready(.uniMag, .unimag)
        for type in [AudioJackReaderType.ips, .ipsEnterprise, .unimag, .ips] {
            world.call(.setType(type, nil))
            // The world stops where a second one is opened.
            world.run(.milliseconds(25))
            #expect(world.open.count <= 1)
        }
        world.run()
        #expect(world.open == [.ips])
        await world.verify()
    }

    @Test func S0_09_theTypeIsFoundWhenSomethingIsAttached() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.run()
        #expect(world.log.isEmpty)
        world.attach(.ips)
        world.run()
        #expect(world.machine.type == .ips)
        await world.verify()
    }

    @Test func S0_12_autodetectionOnConnectWaitsForTheNextConnection() async {
        var world = ready(.uniMag, .unimag)
        world.log = []
        world.call(.setType(.autodetectOnConnect, nil))
        world.run(.seconds(10))
        #expect(world.log == ["uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected"])
        #expect(world.open.isEmpty)
        world.detach()
        world.attach(.uniMag)
        world.run(.seconds(5))
        #expect(world.log.suffix(2) == ["autodetect", "autodetected uniMag, type unimag"])
        await world.verify()
    }

    @Test func S0_13_messageOptionsAreOfUniMagAlone() async {
        var options = PGSwipeUniMagMessageOptions()
        options.volumeTooLowMessage = "ours"
        var world = MachineWorld(.none)
        world.call(.setType(.unimag, options))
        #expect(world.machine.settings.options == options)
        world.call(.setType(.ips, options))
        #expect(world.machine.settings.options == PGSwipeUniMagMessageOptions())
        world.call(.setType(.unimag, nil))
        #expect(world.machine.settings.options == PGSwipeUniMagMessageOptions())
        await world.verify()
    }

    @Test func S0_16_aDetectedReaderIsEnabledAndReady() {
        for thing in [MachineWorld.Thing.ipsEnterprise, .ips, .uniMag] {
            var world = MachineWorld(.none)
            world.attach(thing)
            world.call(.beginAutodetect)
            world.run(.seconds(5))
            #expect(world.machine.type == thing.reader?.type)
            #expect(thing.reader.flatMap { world.told[$0] }?.isReadyForSwipe == true)
        }
    }

    @Test func S0_19_nothingIsShownDuringAutodetection() {
        for thing in [MachineWorld.Thing.uniMag, .headphones] {
            var world = MachineWorld(.unimag)
            world.call(.configure { $0.options.showInitializingReaderMessage = true })
            world.attach(thing)
            world.asides = []
            world.call(.beginAutodetect)
            // Where nothing is found the type is as before, and its reader is powered up: that is reported and shown
            // again.
            world.run(.seconds(5))
            #expect(!world.asides.contains { $0.hasPrefix("ask") || $0.hasPrefix("show") })
        }
    }

    @Test func S0_20_noOtherEventsAreReportedDuringAutodetection() {
        for thing in MachineWorld.Thing.allCases {
            var world = MachineWorld(.autodetectOnConnect)
            world.attach(thing)
            world.run(.seconds(15))
            #expect(world.log.count == 2)
        }
    }

    @Test func S0_24_theTypeThatWasFoundIsGivenAtTheNextStart() async throws {
        var world = MachineWorld(.autodetectOnConnect)
        world.attach(.ips)
        world.run()
        // What a program keeps is a number.
        let kept = world.machine.type.rawValue
        var next = MachineWorld(try #require(AudioJackReaderType(rawValue: kept)))
        next.attach(.ips)
        next.run()
        #expect(next.log == ["ips connected", "ips activation success", "ips ready"])
        #expect(next.asides == ["open ips"])
        await world.verify()
        await next.verify()
    }

    // MARK: devices and events

    @Test func S0_25_theDeviceIsCastToItsClass() async {
        let environment = SimulatedEnvironment()
        let controller = PGSwipeController(
            environment, delegate: nil, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        environment.attach(true)
        guard case .deviceConnected(let device) = await events.next() else {
            Issue.record("nothing was connected")
            return
        }
        #expect((device as? PGSwipeUniMag) === controller.uniMagReader)
        #expect(device as? PGSwipeIps == nil)
        controller.shutdown()
    }

    @Test func S0_26_S0_27_S0_28_flagsFollowTheEvents() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(Self.unprompted))
        world.attach(.uniMag)
        #expect(world.told[.uniMag] == DeviceFlags(isConnected: true))
        world.run(.milliseconds(320))
        #expect(world.told[.uniMag] == DeviceFlags(isConnected: true, isActivated: true))
        world.run(.milliseconds(100))
        #expect(world.told[.uniMag] == DeviceFlags(isConnected: true, isActivated: true, isReadyForSwipe: true))
        world.detach()
        #expect(world.told[.uniMag] == DeviceFlags())
        await world.verify()
    }

    private final class Nobody: PGSwipeDelegate {}

    @Test func S0_29_S0_47_S0_53_S0_59_theDelegateIsThatOfAllReaders() {
        let delegate = Nobody()
        let controller = PGSwipeController(SimulatedEnvironment(), delegate: delegate)
        let readers: [PGSwipeDevice] = [
            controller.ipsEnterpriseReader, controller.ipsReader, controller.iDynamoReader, controller.uniMagReader,
        ]
        #expect(readers.allSatisfy { $0.delegate === delegate })
        controller.delegate = nil
        #expect(readers.allSatisfy { $0.delegate == nil })
    }

    @Test func S0_30_S0_34_everySwipeBetweenReadyAndUnreadyIsReported() async {
        var world = ready(.uniMag, .unimag)
        world.log = []
        for _ in 0..<5 {
            world.swipe(.uniMag)
            world.run(.milliseconds(500))
        }
        #expect(world.log.count { $0 == "uniMag swiped well" } == 5)
        await world.verify()
    }

    /// The driver has no new request to wait when the second one comes.
    @Test(arguments: [ReaderKind.ips, .iDynamo])
    func S0_34_swipesThatFollowAtOnceAreReported(reader: ReaderKind) async {
        var world = ready(.ips, .ips)
        world.attachIDynamo()
        world.run()
        world.log = []
        var builder = ReaderSwipe.Builder()
        let track = Array(";4111111111111111=2912?".utf8)
        builder.add(.track(2), track.span)
        let swipe = builder.finish(family: "test", cipher: nil)
        for _ in 0..<3 { world.receive(.reader(reader, .swipe(swipe))) }
        #expect(world.log == Array(repeating: "\(reader) swiped well", count: 3))
        await world.verify()
    }

    @Test func S0_33_S0_35_S0_36_readyAndUnreadyTakeTurnsWithTheirReasons() async {
        var world = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.alwaysAcceptSwipe = false
        }
        world.log = []
        world.call(.requestSwipe)
        world.run(.seconds(21))
        world.call(.requestSwipe)
        world.run(.seconds(1))
        world.call(.cancelSwipeRequest)
        world.run(.seconds(1))
        world.call(.requestSwipe)
        world.run(.seconds(1))
        world.swipe(.uniMag)
        world.run(.seconds(1))
        world.call(.requestSwipe)
        world.run(.seconds(1))
        world.detach()
        #expect(
            world.log == [
                "uniMag ready", "uniMag unready timedOut", "uniMag ready", "uniMag unready canceled", "uniMag ready",
                "uniMag swiped well", "uniMag unready swipeDone", "uniMag ready", "uniMag unready disconnected",
                "uniMag deactivated", "uniMag disconnected",
            ])
        await world.verify()
    }

    @Test func S0_40_activationComesWithTheConnectionOrLater() async {
        let ips = ready(.ips, .ips)
        #expect(ips.log.prefix(2) == ["ips connected", "ips activation success"])
        var uniMag = MachineWorld(.unimag)
        uniMag.powerUpTime = .seconds(2)
        uniMag.attach(.uniMag)
        uniMag.run(.seconds(2))
        #expect(uniMag.log == ["uniMag connected"])
        uniMag.run(.seconds(1))
        #expect(uniMag.log.prefix(2) == ["uniMag connected", "uniMag activation success"])
        await uniMag.verify()
    }

    @Test func S0_42_lossOfPowerIsReportedAfterACallAndAfterPullingThePlug() async {
        var world = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.activateReaderOnAttach = false
        }
        world.call(.powerUp(true))
        world.run()
        world.call(.powerDown)
        world.run()
        #expect(world.log.count { $0 == "uniMag deactivated" } == 1)
        world.call(.powerUp(true))
        world.run()
        world.detach()
        #expect(world.log.count { $0 == "uniMag deactivated" } == 2)
        await world.verify()
    }

    @Test func S0_44_eachReaderHasItsResult() {
        #expect(ReaderKind.allCases.map(\.result) == [.ipsEnterprise, .ips, .uniMag, .fail])
    }

    @Test func S0_52_permissionIsRequestedBeforeATestPlaysTones() async {
        var world = MachineWorld(.none)
        world.answer = false
        world.attach(.ips)
        world.call(.test(.ips))
        world.run(.seconds(10))
        #expect(world.asides == ["search ips", "no tones"])
        #expect(world.log == ["tested ips false"])
        await world.verify()
    }

    @Test func S0_58_anIDynamoIsReadyWhileItIsAttached() async {
        var world = MachineWorld(.none)
        world.attachIDynamo()
        world.run(.seconds(100))
        #expect(world.log == ["iDynamo connected", "iDynamo activation success", "iDynamo ready"])
        world.swipe(.iDynamo)
        world.run()
        #expect(world.log.last == "iDynamo swiped well")
        #expect(world.told[.iDynamo]?.isReadyForSwipe == true)
        await world.verify()
    }

    // MARK: UniMag

    @Test func S0_62_messageOptionsAreSetAtTheReader() {
        let controller = PGSwipeController(SimulatedEnvironment())
        let reader = controller.uniMagReader
        reader.messageOptions.cardReaderTimeoutMessage = nil
        #expect(reader.messageOptions.cardReaderTimeoutMessage == nil)
        reader.messageOptions.resetToDefaults()
        #expect(reader.messageOptions == PGSwipeUniMagMessageOptions())
    }

    @Test(arguments: [true, false]) func S0_63_S0_74_powerIsGivenOnAttachIfRequested(isWanted: Bool) {
        let world = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.activateReaderOnAttach = isWanted
        }
        #expect(world.log.contains("uniMag activation success") == isWanted)
        #expect(world.asides.contains("volume up") == isWanted)
    }

    @Test func S0_67_theVolumeIsRaisedBeforeAnyPower() {
        let world = ready(.uniMag, .unimag)
        #expect(world.asides == ["volume up", "open uniMag"])
        let without = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.automaticallySetVolumeToMaxOnActivate = false
        }
        #expect(without.asides == ["open uniMag"])
    }

    @Test(arguments: [true, false]) func S0_68_aVolumeThatIsNotRaisedMayBeTooLow(isFull: Bool) async {
        var world = MachineWorld(.unimag)
        world.call(
            .configure {
                $0.options.activateReaderWithoutPromptingUser = true
                $0.automaticallySetVolumeToMaxOnActivate = false
            })
        world.volumeIsFull = isFull
        world.isDeaf = true
        world.attach(.uniMag)
        world.run(.seconds(20))
        #expect(world.log == ["uniMag connected", "uniMag activation \(isFull ? "timeout" : "volumeTooLow")"])
        await world.verify()
    }

    @Test func S0_68_aVolumeThatCannotBeRaisedIsWarnedAbout() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(Self.unprompted))
        world.volumeCanBeRaised = false
        world.isDeaf = true
        world.attach(.uniMag)
        world.run(.seconds(20))
        #expect(world.log == ["uniMag connected", "warning volumeUnchanged uniMag", "uniMag activation volumeTooLow"])
        #expect(world.asides.last == "show The volume is too low for the card reader.")
        await world.verify()
    }

    @Test func S0_69_aSwipeIsRequestedAtOnce() {
        let world = ready(.uniMag, .unimag)
        #expect(world.waiting == [.uniMag])
        #expect(UniMagSettings().alwaysAcceptSwipe)
    }

    @Test func S0_75_theProgramPowersUpWhenItLikes() async {
        var world = ready(.uniMag, .unimag) { $0.activateReaderOnAttach = false }
        #expect(world.log == ["uniMag connected"] && world.asides.isEmpty)
        world.call(.powerUp(true))
        world.run()
        #expect(world.log.last == "uniMag ready")
        // The user is not asked about the program's decision.
        #expect(!world.asides.contains { $0.hasPrefix("ask") })
        await world.verify()
    }

    @Test func S0_79_aNewSwipeIsRequestedAfterAnUnreadyOne() async {
        var world = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.alwaysAcceptSwipe = false
        }
        for _ in 0..<3 {
            world.call(.requestSwipe)
            world.run(.seconds(25))
            #expect(world.log.suffix(2) == ["uniMag ready", "uniMag unready timedOut"])
        }
        #expect(!world.log.contains { $0.hasPrefix("warning") })
        await world.verify()
    }

    @Test(arguments: [nil, 3, 7]) func S0_80_aRequestEndsInItsTime(seconds: Int?) async {
        var world = ready(.uniMag, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.alwaysAcceptSwipe = false
            if let seconds { $0.swipeTimeout = seconds }
        }
        world.call(.requestSwipe)
        world.run(.milliseconds(1_000 * (seconds ?? 20) - 50))
        #expect(world.log.last == "uniMag ready")
        world.run(.milliseconds(200))
        #expect(world.log.last == "uniMag unready timedOut")
        await world.verify()
    }

    /// What is asked with texts of the program's own.
    @Test(arguments: [(true, false, "raise"), (true, true, "at most"), (false, false, "at most")])
    func S0_87_S0_88_S0_89_thePromptFitsTheVolume(isAutomatic: Bool, isFull: Bool, expected: String) {
        var machine = SwipeMachine(.unimag)
        _ = machine.receive(
            .configure {
                $0.automaticallySetVolumeToMaxOnActivate = isAutomatic
                $0.options.cardReaderActivationPrompt = "raise"
                $0.options.cardReaderActivationAtMaxVolumePrompt = "at most"
            }, at: .zero)
        _ = machine.receive(.attached, at: .zero)
        let asked = machine.receive(.volumeRead(isFull: isFull), at: .zero).compactMap {
            if case .effect(.ask(let question)) = $0 { question } else { nil }
        }
        #expect(asked == [expected])
    }

    @Test func S0_90_thePromptsAnnounceTheVolume() {
        let options = PGSwipeUniMagMessageOptions()
        #expect(options.cardReaderActivationPrompt != options.cardReaderActivationAtMaxVolumePrompt)
        #expect(options.cardReaderActivationPrompt.contains("volume will be set to its maximum"))
        #expect(!options.cardReaderActivationAtMaxVolumePrompt.contains("volume"))
    }

    @Test(arguments: [nil, "ours"]) func S0_91_theTextOfATimeOutIsShownUnlessItIsNil(text: String?) async {
        var world = ready(.headphones, .unimag) {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.options.cardReaderTimeoutMessage = text
        }
        world.volumeIsFull = true
        world.run(.seconds(20))
        #expect(world.log.last == "uniMag activation timeout")
        #expect(world.asides.filter { $0.hasPrefix("show") } == (text.map { ["show \($0)"] } ?? []))
        await world.verify()
    }
}
