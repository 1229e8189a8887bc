import Testing

@testable import SwipeController

/// Whole logs of how it is found out which reader is on the jack, on virtual time.
@Suite struct AutodetectScenarioTests {
    @Test(arguments: [MachineWorld.Thing.ipsEnterprise, .ips, .uniMag, .headphones])
    func S0_15_readersAreTriedInOrder(thing: MachineWorld.Thing) async {
        var world = MachineWorld(.none)
        world.attach(thing)
        world.call(.beginAutodetect)
        world.run(.seconds(15))
        let result = thing.reader?.result ?? .fail
        let type: AudioJackReaderType = thing.reader?.type ?? .none
        #expect(world.log == ["autodetect", "autodetected \(result), type \(type)"])
        var expected = ["search ipsEnterprise, ips, uniMag", "volume up", "tones"]
        if let reader = thing.reader { expected.append("open \(reader)") }
        // Only a UniMag lives on the volume.
        if thing != .uniMag { expected.append("volume back") }
        #expect(world.asides == expected)
        // The program is not asked about a reader that is only tried.
        #expect(!world.asides.contains { $0.hasPrefix("ask") || $0.hasPrefix("show") })
        await world.verify()
    }

    @Test func S0_45_autodetectCompleteComesAfterActivation() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.attach(.uniMag)
        world.run(.seconds(12))
        #expect(world.log == ["autodetect", "autodetected uniMag, type unimag"])
        #expect(
            world.told[.uniMag] == DeviceFlags(isConnected: true, isActivated: true, isReadyForSwipe: true))
        world.swipe(.uniMag)
        world.run()
        #expect(world.log.suffix(3) == ["uniMag swiped well", "uniMag unready refreshing", "uniMag ready"])
        world.detach()
        #expect(world.log.suffix(3) == ["uniMag unready disconnected", "uniMag deactivated", "uniMag disconnected"])
        await world.verify()
    }

    @Test func aReaderThatAnswersNeedsNoTones() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.isHeard = true
        world.attach(.ips)
        world.run()
        #expect(world.log == ["autodetect", "autodetected ips, type ips"])
        #expect(world.asides == ["search ipsEnterprise, ips, uniMag", "open ips"])
        await world.verify()
    }

    /// What it lives on is a loud tone, too.
    @Test(arguments: [true, false]) func S0_18_aDetectedUniMagIsPoweredWithPermission(isAllowed: Bool) async {
        var world = MachineWorld(.autodetectOnConnect)
        world.isHeard = true
        world.answer = isAllowed
        world.attach(.uniMag)
        world.run(.seconds(4))
        let end = isAllowed ? ["volume up", "open uniMag"] : []
        #expect(world.asides == ["search ipsEnterprise, ips, uniMag"] + end)
        #expect(world.log.last == (isAllowed ? "autodetected uniMag, type unimag" : "autodetected fail, type none"))
        await world.verify()
    }

    @Test func aCallDiscardsAFoundReader() {
        for call in [SwipeInput.powerUp(false), .powerDown] {
            var world = MachineWorld(.autodetectOnConnect)
            world.vanishes = true
            world.attach(.uniMag)
            world.run(.seconds(2))
            world.call(call)
            #expect(world.log == ["autodetect", "autodetected fail, type none"])
        }
    }

    @Test func aTypeThatIsSetEndsAutodetectionAndNothingElseComesUp() async {
        var world = MachineWorld(.ips)
        world.attach(.ips)
        world.run()
        world.call(.beginAutodetect)
        world.log = []
        world.call(.setType(.none, nil))
        world.run(.seconds(10))
        #expect(world.log == ["autodetected fail, type ips"])
        await world.verify()
    }

    @Test func aTestThatIsRequestedTwiceIsAnsweredOnce() async {
        var world = MachineWorld(.none)
        world.attach(.ips)
        world.call(.test(.ips))
        world.call(.test(.ips))
        world.call(.test(.ipsEnterprise))
        world.run(.seconds(10))
        #expect(world.log == ["tested ipsEnterprise false", "warning callIgnored", "tested ips true"])
        await world.verify()
    }

    @Test func aTestGivesWayToAutodetection() async {
        var world = MachineWorld(.none)
        world.attach(.uniMag)
        world.call(.test(.ips))
        world.run(.milliseconds(100))
        world.call(.beginAutodetect)
        world.run(.seconds(10))
        #expect(
            world.log == ["tested ips false", "autodetect", "autodetected uniMag, type unimag"])
        await world.verify()
    }

    @Test func aVolumeThatCannotBeRaisedForTonesIsWarnedAbout() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.volumeCanBeRaised = false
        world.isDeaf = true
        world.attach(.uniMag)
        world.run(.seconds(10))
        #expect(world.log == ["autodetect", "warning volumeUnchanged uniMag", "autodetected fail, type none"])
        await world.verify()
    }

    @Test func aReaderThatIsFoundAndDoesNotWakeUpIsAFailure() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.vanishes = true
        world.attach(.uniMag)
        world.run(.seconds(4))
        #expect(world.log == ["autodetect"])
        world.run(.seconds(4))
        #expect(world.log == ["autodetect", "autodetected fail, type none"])
        #expect(world.asides.suffix(2) == ["close uniMag", "volume back"])
        await world.verify()
    }

    @Test func aSearchThatCannotBeMadeIsAFailure() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.linksFail = true
        world.attach(.uniMag)
        world.run()
        #expect(world.log == ["autodetect", "warning linkFailed", "autodetected fail, type none"])
        await world.verify()
    }

    @Test(arguments: [(MachineWorld.Thing.ips, true), (.headphones, false)])
    func S0_55_aCommunicationTestReportsIfTheReaderIsAttached(thing: MachineWorld.Thing, isThere: Bool) async {
        var world = MachineWorld(.none)
        world.attach(thing)
        world.call(.test(.ips))
        world.run(.seconds(10))
        #expect(world.log == ["tested ips \(isThere)"])
        #expect(world.asides == ["search ips", "volume up", "tones", "volume back"])
        await world.verify()
    }

    @Test func S0_56_aTestOfADetachedReaderFails() async {
        var world = MachineWorld(.ips)
        world.call(.test(.ips))
        #expect(world.log == ["tested ips false"])
        await world.verify()
    }

    @Test func X0_02_theTypeIsNoneAfterAFailedAutodetectOnConnect() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.attach(.headphones)
        world.run(.seconds(20))
        world.detach()
        world.attach(.uniMag)
        world.run(.seconds(20))
        #expect(world.log == ["autodetect", "autodetected fail, type none"])
        // It can be tried again.
        world.call(.beginAutodetect)
        world.run(.seconds(20))
        #expect(world.log.last == "autodetected uniMag, type unimag")
        await world.verify()
    }

    @Test func X0_02_autodetectionFailsWithoutAnAttachedReader() async {
        var world = MachineWorld(.unimag)
        world.call(.beginAutodetect)
        #expect(world.log == ["autodetect", "autodetected fail, type unimag"])
        await world.verify()
    }

    @Test func S0_18_theProgramMayRefuseTheTones() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.answer = false
        world.attach(.uniMag)
        world.run(.seconds(30))
        #expect(world.log == ["autodetect", "autodetected fail, type none"])
        #expect(world.asides == ["search ipsEnterprise, ips, uniMag", "no tones"])
        await world.verify()
    }

    /// What was answered to the one question is no answer to another.
    @Test func aLateAnswerAboutTonesPowersNoReader() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.answer = nil
        world.attach(.uniMag)
        world.run(.milliseconds(300))
        world.call(.setType(.unimag, nil))
        #expect(
            world.asides == [
                "search ipsEnterprise, ips, uniMag", "dismiss", "end search", "type unimag",
            ])
        world.receive(.volumeRaised(isFull: false))
        world.detach()
        #expect(world.open.isEmpty)
        await world.verify()
    }

    @Test func S0_22_S0_43_detachingEndsAutodetection() async {
        var world = MachineWorld(.autodetectOnConnect)
        world.attach(.uniMag)
        world.run(.milliseconds(400))
        world.detach()
        world.run(.seconds(30))
        #expect(world.log == ["autodetect", "autodetected fail, type none"])
        #expect(world.asides.suffix(3) == ["tones", "end search", "volume back"])
        #expect(world.open.isEmpty && world.searched == nil)
        await world.verify()
    }
}
