import JackdawReaders
import Testing

/// The course of an EMVSwiper's calls and callbacks, as samples of its SDK have it.
@Suite struct BBPOSControllerTests {
    private static let times = BBPOSTransactionTimes(
        application: .seconds(10), amount: .seconds(20), pin: .seconds(30), confirmation: .seconds(40),
        issuer: .seconds(50))

    private var reader = BBPOSController()
    private var now = Duration.zero

    private mutating func tell(_ reports: BBPOSReport...) -> [String] {
        reports.flatMap { reader.receive($0, at: now) }.map(Self.text)
    }

    private mutating func call(_ call: BBPOSCall) -> BBPOSError? {
        do throws(BBPOSError) {
            let outputs = try reader.perform(call, at: now)
            #expect(outputs.first.map(Self.text) == "send \(call)")
            return nil
        } catch {
            return error
        }
    }

    private static func text(_ output: BBPOSController.Output) -> String {
        switch output {
        case .send(let call): "send \(call)"
        case .tell(let report): "\(report)"
        }
    }

    private mutating func findChip() {
        _ = tell(.connected(.bluetooth))
        #expect(call(.checkCard(.swipeOrInsert, within: .seconds(15))) == nil)
        #expect(tell(.waitingForCard, .card(.chip, nil)) == ["waiting for a card", "card: ICC"])
    }

    @Test mutating func aSwipeEndsTheSearch() {
        #expect(call(.checkCard(.swipe, within: .seconds(15))) == .linkNotReady)
        _ = tell(.connected(.audio))
        #expect(call(.checkCard(.swipe, within: .zero)) == .inputOutOfRange)
        #expect(call(.checkCard(.swipe, within: .seconds(15))) == nil)
        #expect(call(.checkCard(.swipe, within: .seconds(15))) == .deviceBusy)
        #expect(tell(.card(.stripe, nil)) == ["card: MCR"])
        #expect(reader.state == .idle)
        #expect(reader.nextDeadline == nil)
        #expect(call(.startEMV(Self.times, forcesOnline: false)) == .commandNotAvailable)
        #expect(tell(.card(.stripe, nil), .request(.amount, nil)) == [])
    }

    @Test mutating func aPaymentTakesItsCourse() {
        findChip()
        #expect(call(.startEMV(Self.times, forcesOnline: false)) == nil)
        #expect(
            tell(.started(true), .request(.application(["VISA", "GIROCARD"]), nil)).last == "asks for an application")
        #expect(call(.setAmount(456, cashback: 0, currency: 978, .goods)) == .deviceBusy)
        #expect(call(.selectApplication(2)) == .inputOutOfRange)
        #expect(call(.selectApplication(1)) == nil)
        #expect(tell(.request(.amount, nil)) == ["asks for the amount"])
        #expect(call(.setAmount(-1, cashback: 0, currency: 978, .goods)) == .inputOutOfRange)
        #expect(call(.setAmount(456, cashback: 0, currency: 978, .goods)) == nil)
        #expect(tell(.display(.enterPIN), .request(.pin, nil)) == ["display: ENTER_PIN", "asks for the PIN"])
        #expect(call(.pinWasEntered) == nil)
        _ = tell(.request(.time, nil))
        #expect(call(.sendTime("2611")) == .inputInvalidFormat)
        #expect(call(.sendTime("261123080000")) == nil)
        _ = tell(.request(.confirmation, nil))
        #expect(call(.sendConfirmation(true)) == nil)
        _ = tell(.request(.connectivity, nil))
        #expect(call(.sendConnectivity(true)) == nil)
        let objects = ReaderBytes(copying: [0x5A, 0x08, 0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11].span)
        #expect(tell(.request(.issuer, objects)) == ["asks for the issuer's answer"])
        // A sample's answer: the issuer accepts.
        #expect(call(.sendIssuerAnswer([0x8A, 0x02, 0x30, 0x30])) == nil)
        #expect(tell(.batchData(objects), .transactionEnded(.approved)) == ["batch data", "payment ended: APPROVED"])
        #expect(reader.state == .idle)
        #expect("\(objects)" == "10 bytes")
    }

    @Test mutating func lateAnswersAreRefusedAndTheReaderEndsThePayment() {
        let requests: [(BBPOSRequest, Int, BBPOSCall?)] = [
            (.application(["A"]), 10, .cancelSelectApplication), (.amount, 20, .cancelSetAmount),
            (.pin, 30, .cancelPINEntry), (.identity, 40, .sendIdentity(isRight: false)),
            (.confirmation, 40, .sendConfirmation(false)), (.connectivity, 40, .sendConnectivity(false)),
            (.time, 40, nil), (.issuer, 50, .sendIssuerAnswer(nil)), (.referral, 50, .cancelReferral),
        ]
        for (request, seconds, refusal) in requests {
            reader = BBPOSController()
            findChip()
            _ = call(.startEMV(Self.times, forcesOnline: true))
            _ = tell(.started(true), .request(request, nil))
            #expect(reader.nextDeadline == now + .seconds(seconds))
            #expect(reader.advance(to: now + .seconds(seconds) - .milliseconds(1)).isEmpty)
            now += .seconds(seconds)
            #expect(reader.advance(to: now).map(Self.text) == refusal.map { ["send \($0)"] } ?? [])
            #expect(tell(.transactionEnded(.terminated)) == ["payment ended: TERMINATED"])
            #expect(reader.state == .idle)
        }
    }

    @Test mutating func aSilentReaderTimesOut() {
        findChip()
        _ = call(.checkCard(.insert, within: .seconds(5)))
        now += .seconds(5)
        #expect(reader.advance(to: now).map(Self.text) == ["send cancelCheckCard", "failed: TIMEOUT"])
        _ = call(.checkCard(.insert, within: .seconds(5)))
        _ = tell(.card(.chip, nil))
        _ = call(.startEMV(Self.times, forcesOnline: false))
        now += .seconds(50)
        #expect(reader.advance(to: now).map(Self.text) == ["failed: TIMEOUT"])
        #expect(reader.state == .idle)
        // The result of the payment is reported also after it has been cancelled.
        #expect(tell(.transactionEnded(.approved)) == ["payment ended: APPROVED"])
    }

    @Test mutating func aLinkIsStartedAndStopped() {
        #expect(call(.stopAudio) == .linkNotReady)
        #expect(call(.startAudio) == nil)
        #expect(reader.state == .linked)
        #expect(reader.connection == .audio)
        #expect(call(.checkCard(.swipe, within: .seconds(15))) == .linkNotReady)
        #expect(tell(.connected(.usb)) == [])
        #expect(tell(.connected(.audio)) == ["connected: AUDIO"])
        #expect(tell(.disconnected) == ["disconnected"])
        #expect(reader.state == .linked)
        _ = tell(.connected(.audio))
        _ = call(.checkCard(.swipe, within: .seconds(15)))
        #expect(call(.stopUSB) == .invalidFunctionInCurrentMode)
        #expect(call(.stopAudio) == nil)
        #expect(reader.state == .disconnected)
        #expect(reader.connection == .disconnected)
        #expect(reader.nextDeadline == nil)
        #expect(call(.startUSB) == nil)
        #expect(tell(.failed(.wrongCRC)) == ["failed: CRC_ERROR"])
        #expect(reader.state == .linked)
        #expect(tell(.failed(.usbDevicePermissionDenied)) == ["failed: USB_DEVICE_PERMISSION_DENIED"])
        #expect(reader.state == .disconnected)
    }

    @Test mutating func aReaderIsLookedFor() {
        _ = call(.startUSB)
        #expect(call(.isDevicePresent) == nil)
        #expect(tell(.disconnected) == ["disconnected"])
        #expect(tell(.disconnected) == [])
        #expect(call(.isDevicePresent) == nil)
        #expect(tell(.connected(.usb)) == ["connected: USB"])
        #expect(tell(.connected(.usb)) == [])
        #expect(call(.isDevicePresent) == nil)
        #expect(tell(.connected(.usb), .connected(.usb)) == ["connected: USB"])
        #expect(reader.state == .idle)
    }

    @Test mutating func settingsForTheSoundDeviceAreLookedFor() {
        _ = tell(.connected(.usb))
        #expect(call(.startAutoConfiguration) == .invalidFunctionInCurrentMode)
        reader = BBPOSController()
        _ = call(.startAudio)
        #expect(call(.startAutoConfiguration) == .linkNotReady)
        #expect(call(.setAutoConfiguration("found before")) == nil)
        _ = tell(.connected(.audio))
        #expect(call(.startAutoConfiguration) == nil)
        #expect(reader.state == .configuring)
        #expect(call(.checkCard(.swipe, within: .seconds(15))) == .deviceBusy)
        #expect(tell(.autoConfigurationProgress(50)) == ["looking for sound settings: 50.0"])
        #expect(tell(.autoConfigured("found now")) == ["sound settings found"])
        #expect(reader.state == .idle)
        #expect(call(.cancelAutoConfiguration) == .commandNotAvailable)
        _ = call(.startAutoConfiguration)
        #expect(tell(.autoConfigurationFailed(.deviceNotSupported)) == ["no sound settings: PHONE_NOT_SUPPORTED"])
        #expect(reader.state == .idle)
        _ = call(.startAutoConfiguration)
        #expect(tell(.disconnected) == ["no sound settings: INTERRUPTED", "disconnected"])
        #expect(reader.state == .linked)
    }

    @Test(arguments: [BBPOSCall.cancelAutoConfiguration, .stopAudio])
    mutating func anInterruptedSearchForSettingsIsReported(_ call: BBPOSCall) throws {
        enter(.configuring)
        let outputs = try reader.perform(call, at: now)
        #expect(outputs.map(Self.text) == ["send \(call)", "no sound settings: INTERRUPTED"])
        #expect(reader.state == (call == .stopAudio ? .disconnected : .idle))
        #expect(tell(.autoConfigurationFailed(.interrupted)) == [])
    }

    @Test mutating func aPaymentBeginsWithTheGivenSettings() {
        findChip()
        var settings = BBPOSTransactionSettings()
        settings.time = "2611"
        #expect(call(.startEMV(Self.times, forcesOnline: false, settings)) == .inputInvalidFormat)
        settings.time = "261123080000"
        settings.cardMode = .insert
        settings.dataKey = ReaderBytes(copying: [UInt8](repeating: 7, count: 16).span)
        var times = Self.times
        times.card = .seconds(60)
        #expect(call(.startEMV(times, forcesOnline: false, settings)) == nil)
        #expect(reader.nextDeadline == now + .seconds(60))
        #expect("\(settings)".contains("16 bytes"))
    }

    @Test mutating func dataOfTheProgramAndOfTheChipAreInNoText() {
        findChip()
        let data = ReaderBytes(copying: [0x00, 0xA4, 0x04, 0x00].span)
        #expect(call(.exchange(data)) == nil)
        #expect(tell(.exchanged(data)) == ["the chip's answer: 4 bytes"])
        #expect(call(.encrypt(data, BBPOSEncryption())) == nil)
        #expect(tell(.encrypted(data)) == ["encrypted: 4 bytes"])
        #expect(!"\(BBPOSCall.exchange(data))".contains("164"))
        #expect(reader.state == .chipFound)
    }

    /// Every state, and what every call and report does in it.
    @Test mutating func everyCallAndReportIsAnsweredInEveryState() {
        let data = ReaderBytes(copying: [0].span)
        let calls: [BBPOSCall] = [
            .checkCard(.swipe, within: .seconds(1)), .cancelCheckCard, .startEMV(Self.times, forcesOnline: false),
            .getDeviceInfo, .setAmount(1, cashback: 0, currency: 978, .goods), .sendIssuerAnswer(nil),
            .startAudio, .stopAudio, .stopUSB, .isDevicePresent, .setAutoConfiguration(""), .startAutoConfiguration,
            .cancelAutoConfiguration, .encrypt(data, BBPOSEncryption()), .exchange(data), .setDetectDeviceChange(true),
        ]
        // What each call is refused with; "-" where it is taken.
        let answers: [(BBPOSController.State, String)] = [
            (.disconnected, "link link link link link link - link link link link link link link link -"),
            (.linked, "link link link link link link mode - mode - - link link link link -"),
            (.idle, "- none none - busy busy mode - mode - - - none - none -"),
            (.configuring, "busy none busy busy busy busy mode - mode busy busy busy - busy busy -"),
            (.checkingCard, "busy - busy busy busy busy mode - mode busy busy busy none busy busy -"),
            (.chipFound, "- none - - busy busy mode - mode - busy busy none - - -"),
            (.starting, "busy none busy busy busy busy mode - mode busy busy busy none busy busy -"),
            (.paying, "busy none busy busy busy busy mode - mode busy busy busy none busy busy -"),
            (.asking(.amount), "busy none busy busy - busy mode - mode busy busy busy none busy busy -"),
            (.asking(.issuer), "busy none busy busy busy - mode - mode busy busy busy none busy busy -"),
        ]
        let names: [BBPOSError: String] = [
            .linkNotReady: "link", .commandNotAvailable: "none", .deviceBusy: "busy",
            .invalidFunctionInCurrentMode: "mode",
        ]
        for (state, expected) in answers {
            let found = calls.map { call in
                enter(state)
                return self.call(call).map { names[$0] ?? $0.rawValue } ?? "-"
            }
            #expect(found.joined(separator: " ") == expected, "\(state)")
        }
        let reports: [BBPOSReport] = [
            .connected(.audio), .disconnected, .waitingForCard, .card(.stripe, nil), .started(true),
            .request(.pin, nil),
            .display(nil), .batchData(data), .transactionEnded(.declined), .failed(.wrongCRC), .battery(.low),
            .autoConfigurationProgress(1), .autoConfigured(""), .autoConfigurationFailed(.interrupted),
            .encrypted(data),
        ]
        // The state after each report; "." if it is reported and nothing changes, "x" if it is impossible.
        let outcomes: [(BBPOSController.State, String)] = [
            (.disconnected, "idle x x x x x x x x x x x x x x"), (.linked, "idle x x x x x x x x . x x x x x"),
            (.idle, "x gone x x x x . . . . . x x x ."), (.configuring, "x gone x x x x . . . idle . . idle idle ."),
            (.checkingCard, "x gone . idle x x . . . idle . x x x ."), (.chipFound, "x gone x x x x . . . . . x x x ."),
            (.starting, "x gone x x pay pin . . idle idle . x x x ."),
            (.paying, "x gone x x x pin . . idle idle . x x x ."),
            (.asking(.amount), "x gone x x x pin . . idle idle . x x x ."),
        ]
        for (state, expected) in outcomes {
            let found = reports.map { report in
                enter(state)
                guard !tell(report).isEmpty else { return "x" }
                return switch reader.state {
                case state: "."
                case .disconnected: "gone"
                case .idle: "idle"
                case .paying: "pay"
                case .asking(.pin): "pin"
                default: "?"
                }
            }
            #expect(found.joined(separator: " ") == expected, "\(state)")
        }
    }

    private mutating func enter(_ state: BBPOSController.State) {
        reader = BBPOSController()
        if state == .disconnected { return }
        if state == .linked {
            #expect(call(.startAudio) == nil)
            return
        }
        _ = tell(.connected(.audio))
        if state == .idle { return }
        if state == .configuring {
            #expect(call(.startAutoConfiguration) == nil)
            return
        }
        _ = call(.checkCard(.insert, within: .seconds(5)))
        if state == .checkingCard { return }
        _ = tell(.card(.chip, nil))
        if state == .chipFound { return }
        _ = call(.startEMV(Self.times, forcesOnline: false))
        if state == .starting { return }
        _ = tell(.started(true))
        if case .asking(let request) = state { _ = tell(.request(request, nil)) }
        #expect(reader.state == state)
    }
}
