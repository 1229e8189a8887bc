import JackdawReaders
import Testing

@testable import SwipeController

/// Whole logs of the announcements of a controller's machine, on virtual time.
@Suite struct ScenarioTests {
    @Test func S0_61_aUniMagPowersUpAndBecomesReadyWhenItIsAttached() async {
        var world = MachineWorld(.unimag)
        world.attach(.uniMag)
        world.run()
        #expect(world.log == ["uniMag connected", "uniMag activation success", "uniMag ready"])
        #expect(world.asides == ["ask to raise the volume", "volume up", "open uniMag"])
        world.detach()
        world.run()
        #expect(world.log.suffix(3) == ["uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected"])
        #expect(world.asides.suffix(2) == ["close uniMag", "volume back"])
        await world.verify()
    }

    @Test func S0_65_aDeclinedPromptLeavesTheReaderWithoutPower() async {
        var world = MachineWorld(.unimag)
        world.answer = false
        world.attach(.uniMag)
        world.run()
        #expect(world.log == ["uniMag connected"])
        #expect(world.open.isEmpty)
        // The program may still power it up.
        world.call(.powerUp(true))
        world.run()
        #expect(world.log == ["uniMag connected", "uniMag activation success", "uniMag ready"])
        await world.verify()
    }

    @Test(arguments: [true, false]) func S0_85_theProgramMayAnswerForThePerson(isWanted: Bool) async {
        var world = MachineWorld(.unimag)
        world.answer = nil
        world.attach(.uniMag)
        world.run()
        world.call(.powerUp(isWanted))
        world.run()
        #expect(world.asides.contains("dismiss"))
        #expect(world.log.contains("uniMag activation success") == isWanted)
        await world.verify()
    }

    @Test func S0_84_noPromptIsShownIfTheProgramWantsNone() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(MachineWorld.unprompted))
        world.attach(.uniMag)
        world.run()
        #expect(world.asides == ["volume up", "open uniMag"])
        await world.verify()
    }

    @Test func S0_38_S0_41_S0_64_headphonesArePoweredAndTimeOut() async {
        var world = MachineWorld(.unimag)
        world.volumeIsFull = true
        world.attach(.headphones)
        world.run(.seconds(20))
        #expect(world.log == ["uniMag connected", "uniMag activation timeout"])
        #expect(
            world.asides == [
                "ask to power up", "volume up", "open uniMag", "close uniMag", "volume back",
                "show The card reader did not answer.",
            ])
        world.detach()
        #expect(world.log.last == "uniMag disconnected")
        await world.verify()
    }

    @Test func S0_92_aVolumeThatIsTooLowIsTheReason() async {
        var world = MachineWorld(.unimag)
        world.call(
            .configure {
                $0.automaticallySetVolumeToMaxOnActivate = false
                $0.options.volumeTooLowMessage = nil
            })
        world.isDeaf = true
        world.attach(.uniMag)
        world.run(.seconds(20))
        #expect(world.log == ["uniMag connected", "uniMag activation volumeTooLow"])
        #expect(world.asides == ["ask to power up", "open uniMag", "close uniMag"])
        await world.verify()
    }

    @Test func S0_86_theInitializingMessageIsDismissed() async {
        var world = MachineWorld(.unimag)
        world.call(.configure { $0.options.showInitializingReaderMessage = true })
        world.attach(.uniMag)
        world.run()
        #expect(
            world.asides == [
                "ask to raise the volume", "show Initializing Card Reader…", "volume up", "open uniMag", "dismiss",
            ])
        await world.verify()
    }

    @Test func S0_66_poweringDownPowersStraightBackUp() async {
        var world = MachineWorld.ready()
        world.call(.powerDown)
        world.run()
        #expect(
            world.log == [
                "uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected", "uniMag connected",
                "uniMag activation success", "uniMag ready",
            ])
        #expect(world.asides == ["close uniMag", "volume back", "volume up", "open uniMag"])
        await world.verify()
    }

    @Test func S0_76_poweringDownLeavesTheReaderConnectedWithoutActivation() {
        var world = MachineWorld.ready {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.activateReaderOnAttach = true
        }
        world.call(.configure { $0.activateReaderOnAttach = false })
        world.call(.powerDown)
        world.run()
        #expect(world.log.suffix(2) == ["uniMag disconnected", "uniMag connected"])
        world.call(.powerUp(true))
        world.run()
        #expect(world.log.suffix(2) == ["uniMag activation success", "uniMag ready"])
    }

    @Test func S0_73_aPowerUpIsCancelled() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(MachineWorld.unprompted))
        world.attach(.uniMag)
        world.run(.milliseconds(100))
        world.call(.powerUp(false))
        world.run()
        #expect(world.log == ["uniMag connected", "uniMag activation failure"])
        await world.verify()
    }

    /// Detached while it is asked about, opened, powered up, or armed: the earlier announcements are reverted, and
    /// nothing else.
    @Test(arguments: [0, 400, 510, 520, 700, 820, 900])
    func S0_39_S0_77_detachingRevertsEarlierAnnouncements(milliseconds: Int) async {
        var world = MachineWorld(.unimag)
        world.attach(.uniMag)
        world.run(.milliseconds(milliseconds))
        let before = world.log
        world.log = []
        world.detach()
        world.run(.seconds(30))
        var expected = ["uniMag disconnected"]
        if before.contains("uniMag activation success") { expected.insert("uniMag deactivated", at: 0) }
        if before.last == "uniMag ready" { expected.insert("uniMag unready disconnected", at: 0) }
        #expect(world.log == expected)
        #expect(world.open.isEmpty)
        await world.verify()
    }

    @Test func X0_10_anIPSReaderIsReadyAtOnceAlsoHeadphones() {
        for thing in [MachineWorld.Thing.ips, .headphones] {
            var world = MachineWorld(.ips)
            world.attach(thing)
            world.run()
            #expect(world.log == ["ips connected", "ips activation success", "ips ready"])
            #expect(world.asides == ["open ips"])
            world.detach()
            #expect(world.log.suffix(3) == ["ips unready disconnected", "ips deactivated", "ips disconnected"])
        }
    }

    @Test func X0_06_anIPSReaderReportsNoBadReads() async {
        var world = MachineWorld(.ipsEnterprise)
        world.attach(.ipsEnterprise)
        world.run()
        world.log = []
        world.swipe(.ipsEnterprise, isRead: false)
        world.swipe(.ipsEnterprise)
        world.run(.seconds(50))
        // It goes on without a word.
        #expect(world.log == ["ipsEnterprise swiped well"])
        await world.verify()
    }

    @Test func X0_10_anIDynamoComesAndGoesBesideTheOther() async {
        var world = MachineWorld.ready()
        world.attachIDynamo()
        world.run()
        #expect(world.log == ["iDynamo connected", "iDynamo activation success", "iDynamo ready"])
        world.swipe(.iDynamo)
        world.run()
        world.lose(.iDynamo)
        #expect(
            world.log.suffix(4) == [
                "iDynamo swiped well", "iDynamo unready disconnected", "iDynamo deactivated", "iDynamo disconnected",
            ])
        #expect(world.told[.uniMag]?.isReadyForSwipe == true)
        await world.verify()
    }

    @Test func S0_08_noneIsNone() async {
        var world = MachineWorld(.none)
        world.attach(.uniMag)
        world.run(.seconds(30))
        #expect(world.log.isEmpty && world.asides.isEmpty)
        #expect(world.jack == [true])
        await world.verify()
    }

    @Test func S0_10_theTypeIsChanged() async {
        var world = MachineWorld.ready()
        world.call(.setType(.ips, nil))
        world.run()
        #expect(
            world.log == [
                "uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected", "ips connected",
                "ips activation success", "ips ready",
            ])
        // One is closed before the other is opened.
        #expect(world.asides == ["close uniMag", "volume back", "type ips", "open ips"])
        await world.verify()
    }

    @Test func S0_11_changingTheTypeAgainAndAgainIsWarnedAbout() async {
        var world = MachineWorld(.none)
        for type in [AudioJackReaderType.ips, .unimag, .ips] { world.call(.setType(type, nil)) }
        #expect(world.log == ["warning typeChangedRepeatedly"])
        world.run(.seconds(61))
        world.call(.setType(.none, nil))
        #expect(world.log.count == 1)
        await world.verify()
    }

    @Test func S0_85_theProgramMayPowerUpInTheConnectionCallback() async {
        var world = MachineWorld(.unimag)
        world.attach(.uniMag)
        world.call(.powerUp(true))
        world.run()
        #expect(world.log == ["uniMag connected", "uniMag activation success", "uniMag ready"])
        #expect(world.asides == ["volume up", "open uniMag"])
        await world.verify()
    }

    @Test func S0_88_theVolumeRaisedForTheLastReaderIsNotTheUsersVolume() async {
        var world = MachineWorld(.unimag)
        world.attach(.uniMag)
        world.call(.powerUp(true))
        world.detach()
        world.attach(.uniMag)
        world.run(.milliseconds(100))
        #expect(world.asides == ["volume up", "volume back", "ask to raise the volume"])
        await world.verify()
    }

    @Test(arguments: [0, 5, 260, 400, 700, 900]) func aShutdownClosesAllLinks(milliseconds: Int) {
        for type in [AudioJackReaderType.unimag, .ips, .autodetectOnConnect] {
            var world = MachineWorld(type)
            world.call(.configure { $0.options.showInitializingReaderMessage = true })
            world.attachIDynamo()
            world.attach(.uniMag)
            world.run(.milliseconds(milliseconds))
            let count = world.log.count
            world.call(.shutDown)
            world.run(.seconds(60))
            #expect(world.open.isEmpty && world.searched == nil, "\(type)")
            #expect(world.log.count == count)
            let raised = world.asides.count { $0 == "volume up" }
            #expect(world.asides.count { $0 == "volume back" } == raised)
        }
    }

    @Test func aTextThatIsShownIsDismissedWhateverTheSettingIsThen() async {
        var world = MachineWorld(.unimag)
        world.call(
            .configure {
                $0.options.showInitializingReaderMessage = true
                $0.options.activateReaderWithoutPromptingUser = true
            })
        world.attach(.uniMag)
        world.call(.configure { $0.options.showInitializingReaderMessage = false })
        world.run()
        #expect(world.asides.last == "dismiss")
        await world.verify()
    }

    @Test func S0_49_theEnabledReaderReturnsAfterATest() async {
        var world = MachineWorld.ready()
        world.call(.test(.ipsEnterprise))
        world.run(.seconds(10))
        #expect(
            world.log == [
                "uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected",
                "tested ipsEnterprise false", "uniMag connected", "uniMag activation success", "uniMag ready",
            ])
        await world.verify()
    }

    @Test func S0_23_theEarlierReaderReturnsAfterAFailure() async {
        var world = MachineWorld.ready()
        world.isDeaf = true
        world.call(.beginAutodetect)
        world.run(.seconds(16))
        #expect(
            world.log.prefix(6) == [
                "uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected", "autodetect",
                "autodetected fail, type unimag", "uniMag connected",
            ])
        await world.verify()
    }

    @Test func aSoundCardThatCannotBeOpenedIsAFailure() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(MachineWorld.unprompted))
        world.linksFail = true
        world.attach(.uniMag)
        world.run()
        #expect(world.log == ["uniMag connected", "warning linkFailed uniMag", "uniMag activation failure"])
        await world.verify()
    }

    @Test func aLinkThatBreaksIsADetachedReader() async {
        var world = MachineWorld.ready()
        world.lose(.uniMag)
        world.run(.seconds(30))
        #expect(world.log == ["uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected"])
        await world.verify()
    }

    @Test func S0_48_S0_54_noEventsAreReportedAfterShutdown() async {
        var world = MachineWorld.ready()
        world.call(.shutDown)
        world.detach()
        world.attach(.uniMag)
        world.run(.seconds(30))
        #expect(world.log.isEmpty)
        #expect(world.asides == ["close uniMag", "volume back", "end"])
        await world.verify()
    }
}
