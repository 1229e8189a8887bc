import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// The messages of payments at an EMVSwiper. No bytes of them are published: the wire is invented, and written here by
/// hand from its description in docs/readers/bbpos.md, with the numbers of the simulated profile.
@Suite struct BBPOSPaymentWireTests {
    /// The number of a message in the simulated profile.
    private func number(_ message: BBPOSMessage) throws -> UInt8 {
        let profile = try #require(ReaderFamily.named("bbpos")).simulatedProfile
        return UInt8(try profile.integer(message.key, in: 0...255))
    }

    private func frame(_ message: BBPOSMessage, _ data: [UInt8]) throws -> [UInt8] {
        try LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [3])
        ).frame([number(message)] + data)
    }

    private static let times = BBPOSTransactionTimes(
        card: .seconds(1), application: .seconds(2), amount: .seconds(3), pin: .seconds(4), confirmation: .seconds(5),
        issuer: .seconds(300))

    private static let settings: BBPOSTransactionSettings = {
        var settings = BBPOSTransactionSettings()
        settings.time = "260728121530"
        return settings
    }()

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The calls of a payment, and the data that each has on the wire.
    private static let calls: [(BBPOSCall, BBPOSMessage, [UInt8])] = [
        (.getDeviceInfo, .getDeviceInfo, []),
        (.checkCard(.swipeOrInsert, within: .seconds(10)), .checkCard, text("\u{A}SWIPE_OR_INSERT")),
        (.cancelCheckCard, .cancelCheckCard, []),
        (.startEMV(times, forcesOnline: true, settings), .startEmv, hex("0102030405FF01 323630373238313231353330")),
        (.selectApplication(1), .selectApplication, [1]), (.cancelSelectApplication, .cancelSelectApplication, []),
        (
            .setAmount(456, cashback: 12, currency: 826, .cashback), .setAmount,
            hex("000000000456 000000000012 0826 434153484241434B")
        ),
        (.cancelSetAmount, .cancelSetAmount, []), (.pinWasEntered, .sendPinEntryResult, []),
        (.bypassPINEntry, .bypassPinEntry, []), (.cancelPINEntry, .cancelPinEntry, []),
        (.sendIdentity(isRight: false), .sendVerifyIDResult, [0]),
        (.sendConfirmation(true), .sendFinalConfirmResult, [1]),
        (.sendConnectivity(false), .sendServerConnectivity, [0]),
        // The answers of the samples: the issuer accepts; it could not be reached.
        (.sendIssuerAnswer(hex("8A023030")), .sendOnlineProcessResult, hex("018A023030")),
        (.sendIssuerAnswer(nil), .sendOnlineProcessResult, [0]),
        (.sendTime("260728121530"), .sendTerminalTime, text("260728121530")),
        (.sendReferral(isApproved: true), .sendReferProcessResult, text("APPROVED")),
        (.sendReferral(isApproved: false), .sendReferProcessResult, text("DECLINED")),
        (.cancelReferral, .cancelReferProcess, []),
    ]

    @Test func callsAreWrittenAsDescribed() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (call, message, data) in Self.calls {
            let expected = try frame(message, data)
            #expect(wire.frame(call) == expected, "\(call)")
        }
    }

    @Test func callsAreReadAsTheyWereWritten() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (call, message, _) in Self.calls {
            let frame = wire.frame(call)
            // A limit has one byte.
            if message == .startEmv {
                #expect(wire.call(frame.span).map { wire.frame($0) } == frame)
            } else {
                #expect(wire.call(frame.span) == call)
            }
            #expect(wire.report(frame.span).map { "\($0)" } == nil)
        }
    }

    /// The reports of a payment, and the data that each has on the wire.
    private static let reports: [(BBPOSReport, BBPOSMessage, [UInt8])] = [
        (.deviceInfo(["b": "80", "a": ""]), .onReturnDeviceInfo, text("\u{1}a\u{0}\u{1}b\u{2}80")),
        (.battery(.criticallyLow), .onBatteryLow, text("CRITICALLY_LOW")),
        (.failed(.deviceBusy), .onError, text("DEVICE_BUSY")), (.waitingForCard, .onWaitingForCard, []),
        (.card(.chip, nil), .onReturnCheckCardResult, text("\u{3}ICC")),
        (
            .card(.track2Only, bbposSwipe(";1=2?")), .onReturnCheckCardResult,
            text("\u{B}TRACK2_ONLY\u{0}\u{5};1=2?\u{0}")
        ),
        (.started(true), .onReturnStartEmvResult, text("SUCCESS")),
        (.started(false), .onReturnStartEmvResult, text("FAIL")),
        (
            .request(.application(["VISA", "GIROCARD"]), nil), .onRequestSelectApplication,
            text("\u{4}VISA\u{8}GIROCARD")
        ),
        (.request(.amount, nil), .onRequestSetAmount, []), (.request(.pin, nil), .onRequestPinEntry, []),
        (.request(.identity, ReaderBytes("9F620100")), .onRequestVerifyID, hex("9F620100")),
        (.request(.confirmation, nil), .onRequestFinalConfirm, []),
        (.request(.connectivity, nil), .onRequestCheckServerConnectivity, []),
        (.request(.issuer, ReaderBytes("9F270180")), .onRequestOnlineProcess, hex("9F270180")),
        (.request(.time, nil), .onRequestTerminalTime, []), (.request(.referral, nil), .onRequestReferProcess, []),
        (.display(.pinIsRight), .onRequestDisplayText, text("PIN_OK")), (.display(nil), .onRequestClearDisplay, []),
        (.batchData(ReaderBytes("9F270140")), .onReturnBatchData, hex("9F270140")),
        (.reversalData(ReaderBytes("9F270100")), .onReturnReversalData, hex("9F270100")),
        (.transactionEnded(.cardRemoved), .onReturnTransactionResult, text("ICC_CARD_REMOVED")),
    ]

    @Test func reportsAreWrittenAsDescribed() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (report, message, data) in Self.reports {
            let expected = try frame(message, data)
            #expect(wire.frame(report) == expected, "\(report)")
        }
    }

    @Test func reportsAreReadAsTheyWereWritten() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (report, _, _) in Self.reports {
            let frame = wire.frame(report)
            #expect(wire.report(frame.span).map { wire.frame($0) } == frame, "\(report)")
            #expect(wire.report(frame.span).map { "\($0)" } == "\(report)")
            #expect(wire.call(frame.span) == nil)
        }
    }

    private static let bad: [(BBPOSMessage, [UInt8])] = [
        (.getDeviceInfo, [0]), (.checkCard, []), (.checkCard, text("\u{A}SLOT")), (.startEmv, [1, 2, 3, 4, 5, 6]),
        (.startEmv, [1, 2, 3, 4, 5, 6, 2]), (.selectApplication, []),
        (.setAmount, hex("000000000456 000000000012 0826")),
        (.setAmount, hex("00000000045A 000000000012 0826 474F4F4453")), (.sendFinalConfirmResult, [2]),
        (.sendServerConnectivity, []), (.sendOnlineProcessResult, []), (.sendOnlineProcessResult, [0, 1]),
        (.sendReferProcessResult, text("TERMINATED")), (.sendTerminalTime, [0xFF]), (.onReturnDeviceInfo, [1, 0x61]),
        (.onReturnDeviceInfo, [2, 0x61]), (.onBatteryLow, []), (.onError, text("NO")),
        (.onReturnCheckCardResult, []), (.onReturnCheckCardResult, [4, 0x49]), (.onReturnStartEmvResult, []),
        (.onRequestSelectApplication, []), (.onRequestSelectApplication, [9, 1]), (.onRequestSetAmount, [0]),
        (.onRequestDisplayText, text("HELLO")), (.onRequestClearDisplay, [0]), (.onReturnTransactionResult, []),
    ]

    @Test func otherMessagesAreNotRead() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (message, data) in Self.bad {
            let frame = try frame(message, data)
            #expect(wire.call(frame.span) == nil, "\(message)")
            #expect(wire.report(frame.span).map { "\($0)" } == nil, "\(message)")
        }
        // What is none of a payment has no frame.
        #expect(wire.frame(BBPOSCall.getKeySerialNumbers) == [])
        #expect(wire.frame(BBPOSCall.setAmount(-1, cashback: 0, currency: 978, .goods)) == [])
        #expect(wire.frame(BBPOSReport.connected(.audio)) == [])
    }

    @Test func numbersAreTheProfiles() throws {
        let family = try #require(ReaderFamily.named("bbpos"))
        #expect(throws: ReaderError.self) { try BBPOSPaymentSettings(profile: family.profile) }
        var profile = family.simulatedProfile
        profile["payment.startEmv"] = profile["payment.checkCard"]
        #expect(throws: ReaderError.self) { try BBPOSPaymentSettings(profile: profile) }
        // The profile without payments still opens a reader.
        #expect(throws: Never.self) { try family.makeDialect(family.simulatedProfile) }
        #expect(family.profile["payment.startEmv"]?.provenance == .unknown)
    }
}
