import JackdawReaders
import Testing

/// The states of a Clover Go reader, in the order that Clover's documentation gives.
@Suite struct CloverGoReaderTests {
    private static func ready() -> CloverGoReader {
        var reader = CloverGoReader()
        reader.connect()
        reader.receive(.initializationComplete)
        return reader
    }

    @Test func statesFollowEachOtherAsPublished() {
        var reader = CloverGoReader()
        var states = [reader.status]
        reader.connect()
        states.append(reader.status)
        for event in [
            CloverGoInitializationEvent.loadingSettings, .downloadingFirmware, .firmwareDownloadComplete,
            .updatingFirmware, .firmwareUpdateComplete, .initializationComplete,
        ] {
            reader.receive(event)
            states.append(reader.status)
        }
        reader.receive(batteryPercent: 19)
        states.append(reader.status)
        reader.disconnect()
        states.append(reader.status)
        #expect(
            states == [
                .disconnected, .initializing, .initializing, .updatingFirmware, .initializing, .updatingFirmware,
                .initializing, .ready, .lowBattery, .disconnected,
            ])
    }

    @Test func theBatteryIsLowBelowTwentyPerCent() {
        var reader = Self.ready()
        for (percent, status, known) in [
            (20, CloverGoReader.Status.ready, 20 as Int?), (19, .lowBattery, 19), (0, .lowBattery, 0), (80, .ready, 80),
            (-1, .ready, nil), (101, .ready, nil),
        ] {
            reader.receive(batteryPercent: percent)
            #expect(reader.status == status)
            #expect(reader.batteryPercent == known)
        }
        var early = CloverGoReader()
        early.connect()
        early.receive(batteryPercent: 5)
        #expect(early.status == .initializing)
        early.receive(.initializationComplete)
        #expect(early.status == .lowBattery)
    }

    @Test(arguments: CloverGoDeviceError.allCases)
    func errorsOfTheDeviceNeedANewConnection(error: CloverGoDeviceError) {
        var reader = Self.ready()
        reader.receive(error)
        #expect(reader.status == (error == .firmwareUpdateNotSupported ? .ready : .disconnected))
    }

    @Test func aChipThatFailsThreeTimesMayBeSwiped() {
        var reader = Self.ready()
        for count in 1...3 {
            reader.receive(.cardInserted)
            reader.receive(.chipFailed)
            reader.receive(.cardRemoved)
            #expect(reader.takesSwipeOfChipCard == (count == 3))
        }
        reader.receive(.cardSwiped)
        #expect(!reader.takesSwipeOfChipCard)
        reader.receive(.chipFailedSwipe)
        #expect(reader.takesSwipeOfChipCard)
    }

    @Test func eventsWithoutAConnectionAreIgnored() {
        var reader = CloverGoReader()
        for event in CloverGoInitializationEvent.allCases { reader.receive(event) }
        for event in CloverGoTransactionEvent.allCases { reader.receive(event) }
        reader.receive(batteryPercent: 5)
        #expect(reader == CloverGoReader())
    }
}
