/// A call or a callback of the vendor's SDK in a payment, by its name in `EmvSwipeController.h` and in samples, both in
/// public repositories. No numbers of them on a wire are published.
package enum BBPOSMessage: String, PaymentWireMessage {
    // MARK: calls of the program

    case getDeviceInfo, checkCard, cancelCheckCard, startEmv
    case selectApplication, cancelSelectApplication, setAmount, cancelSetAmount
    case sendPinEntryResult, bypassPinEntry, cancelPinEntry
    case sendVerifyIDResult, sendFinalConfirmResult, sendServerConnectivity, sendOnlineProcessResult
    case sendTerminalTime, sendReferProcessResult, cancelReferProcess

    // MARK: callbacks of the reader

    case onReturnDeviceInfo, onBatteryLow, onError
    case onWaitingForCard, onReturnCheckCardResult, onReturnStartEmvResult
    case onRequestSelectApplication, onRequestSetAmount, onRequestPinEntry, onRequestVerifyID
    case onRequestFinalConfirm, onRequestCheckServerConnectivity, onRequestOnlineProcess
    case onRequestTerminalTime, onRequestReferProcess, onRequestDisplayText, onRequestClearDisplay
    case onReturnBatchData, onReturnReversalData, onReturnTransactionResult
}

/// The calls and reports of payments on a wire that a profile supplies.
///
/// **Invented** are the wire and the form of the data. A message has its number, and then its values: names as the SDK
/// writes them, in ASCII; data objects in BER-TLV; in a list each text after a byte with its length.
package struct BBPOSPaymentWire: Sendable {
    private let wire: PaymentWire<BBPOSMessage>

    /// - Parameter profile: a profile with all values of the wire format.
    /// - Throws: ``ReaderError``: `missingValue` that names all missing values, `badProfile`.
    package init(_ profile: ReaderProfile) throws(ReaderError) { wire = try PaymentWire(profile) }

    /// The format of the frames.
    package var format: LayoutFormat { wire.format }

    // MARK: frames of calls

    /// Makes the frame of a call.
    /// - Parameter call: the call.
    /// - Returns: the frame; empty for a call that is none of a payment, and for an amount that the SDK cannot write.
    package func frame(_ call: BBPOSCall) -> [UInt8] {
        guard let (message, data) = Self.content(of: call) else { return [] }
        return wire.frame(message, data)
    }

    private static func content(of call: BBPOSCall) -> (BBPOSMessage, [UInt8])? {
        switch call {
        case .getDeviceInfo: (.getDeviceInfo, [])
        case .checkCard(let mode, let time): (.checkCard, [seconds(time)] + ascii(mode.rawValue))
        case .cancelCheckCard: (.cancelCheckCard, [])
        case .startEMV(let times, let forcesOnline, let settings):
            (
                .startEmv,
                [
                    seconds(times.card), seconds(times.application), seconds(times.amount), seconds(times.pin),
                    seconds(times.confirmation), seconds(times.issuer), flag(forcesOnline),
                ] + ascii(settings.time ?? "")
            )
        case .selectApplication(let index): UInt8(exactly: index).map { (.selectApplication, [$0]) }
        case .cancelSelectApplication: (.cancelSelectApplication, [])
        case .setAmount(let amount, let cashback, let currency, let kind):
            amounts(amount, cashback, currency).map { (.setAmount, $0 + ascii(kind.rawValue)) }
        case .cancelSetAmount: (.cancelSetAmount, [])
        case .pinWasEntered: (.sendPinEntryResult, [])
        case .bypassPINEntry: (.bypassPinEntry, [])
        case .cancelPINEntry: (.cancelPinEntry, [])
        case .sendIdentity(let isRight): (.sendVerifyIDResult, [flag(isRight)])
        case .sendConfirmation(let isConfirmed): (.sendFinalConfirmResult, [flag(isConfirmed)])
        case .sendConnectivity(let isConnected): (.sendServerConnectivity, [flag(isConnected)])
        case .sendIssuerAnswer(let objects): (.sendOnlineProcessResult, objects.map { [1] + $0 } ?? [0])
        case .sendTime(let time): (.sendTerminalTime, ascii(time))
        case .sendReferral(let isApproved):
            (.sendReferProcessResult, ascii((isApproved ? BBPOSTransactionResult.approved : .declined).rawValue))
        case .cancelReferral: (.cancelReferProcess, [])
        case .startAudio, .stopAudio, .startUSB, .stopUSB, .setDetectDeviceChange, .isDevicePresent,
            .setAutoConfiguration, .startAutoConfiguration, .cancelAutoConfiguration, .getKeySerialNumbers, .encrypt,
            .exchange:
            nil
        }
    }

    /// Reads a frame of a program.
    /// - Parameter frame: a whole frame.
    /// - Returns: the call; nil if it is none of a payment.
    package func call(_ frame: Span<UInt8>) -> BBPOSCall? {
        guard let (message, data) = wire.read(frame) else { return nil }
        switch message {
        case .getDeviceInfo: return data.isEmpty ? .getDeviceInfo : nil
        case .checkCard:
            guard let time = data.first, let mode = Self.value(BBPOSCheckCardMode.self, data.dropFirst()) else {
                return nil
            }
            return .checkCard(mode, within: .seconds(Int(time)))
        case .cancelCheckCard: return data.isEmpty ? .cancelCheckCard : nil
        case .startEmv: return Self.start(data)
        case .selectApplication: return data.count == 1 ? .selectApplication(Int(data[0])) : nil
        case .cancelSelectApplication: return data.isEmpty ? .cancelSelectApplication : nil
        case .setAmount: return Self.amount(data)
        case .cancelSetAmount: return data.isEmpty ? .cancelSetAmount : nil
        case .sendPinEntryResult: return data.isEmpty ? .pinWasEntered : nil
        case .bypassPinEntry: return data.isEmpty ? .bypassPINEntry : nil
        case .cancelPinEntry: return data.isEmpty ? .cancelPINEntry : nil
        case .sendVerifyIDResult: return Self.flag(data).map { .sendIdentity(isRight: $0) }
        case .sendFinalConfirmResult: return Self.flag(data).map { .sendConfirmation($0) }
        case .sendServerConnectivity: return Self.flag(data).map { .sendConnectivity($0) }
        case .sendOnlineProcessResult:
            guard let first = data.first, first == 1 || data.count == 1 && first == 0 else { return nil }
            return .sendIssuerAnswer(first == 1 ? Array(data.dropFirst()) : nil)
        case .sendTerminalTime: return Self.text(data[...]).map { .sendTime($0) }
        case .sendReferProcessResult:
            guard let result = Self.value(BBPOSTransactionResult.self, data[...]) else { return nil }
            return result == .approved || result == .declined ? .sendReferral(isApproved: result == .approved) : nil
        case .cancelReferProcess: return data.isEmpty ? .cancelReferral : nil
        default: return nil
        }
    }

    private static func start(_ data: [UInt8]) -> BBPOSCall? {
        guard data.count >= 7, let forcesOnline = flag([data[6]]), let time = text(data.dropFirst(7)) else {
            return nil
        }
        let limits = data.prefix(6).map { Duration.seconds(Int($0)) }
        var settings = BBPOSTransactionSettings()
        if !time.isEmpty { settings.time = time }
        return .startEMV(
            BBPOSTransactionTimes(
                card: limits[0], application: limits[1], amount: limits[2], pin: limits[3], confirmation: limits[4],
                issuer: limits[5]), forcesOnline: forcesOnline, settings)
    }

    /// Amount and cash back in six bytes each, and the currency in two, two digits a byte.
    private static func amounts(_ amount: Int, _ cashback: Int, _ currency: Int) -> [UInt8]? {
        guard let amount = UInt64(exactly: amount), let cashback = UInt64(exactly: cashback),
            let currency = UInt64(exactly: currency), let first = try? amount.decimalOctets(6),
            let second = try? cashback.decimalOctets(6), let third = try? currency.decimalOctets(2)
        else { return nil }
        return first + second + third
    }

    private static func amount(_ data: [UInt8]) -> BBPOSCall? {
        guard data.count > 14, let amount = number(data[0..<6]), let cashback = number(data[6..<12]),
            let currency = number(data[12..<14]),
            let kind = value(BBPOSTransactionKind.self, data.dropFirst(14))
        else { return nil }
        return .setAmount(amount, cashback: cashback, currency: currency, kind)
    }

    // MARK: frames of reports

    /// Makes the frame of a report.
    /// - Parameter report: the report.
    /// - Returns: the frame; empty for a report that is none of a payment.
    package func frame(_ report: BBPOSReport) -> [UInt8] {
        guard let (message, data) = Self.content(of: report) else { return [] }
        return wire.frame(message, data)
    }

    private static func content(of report: BBPOSReport) -> (BBPOSMessage, [UInt8])? {
        switch report {
        case .waitingForCard: (.onWaitingForCard, [])
        case .card(let result, let swipe): (.onReturnCheckCardResult, list([result.rawValue]) + tracks(swipe))
        case .started(let isStarted): (.onReturnStartEmvResult, ascii(isStarted ? success : failure))
        case .request(let request, let objects): content(of: request, octets(objects))
        case .display(let text?): (.onRequestDisplayText, ascii(text.rawValue))
        case .display(nil): (.onRequestClearDisplay, [])
        case .batchData(let objects): (.onReturnBatchData, octets(objects))
        case .reversalData(let objects): (.onReturnReversalData, octets(objects))
        case .transactionEnded(let result): (.onReturnTransactionResult, ascii(result.rawValue))
        case .deviceInfo(let facts):
            (.onReturnDeviceInfo, list(facts.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }))
        case .battery(let battery): (.onBatteryLow, ascii(battery.rawValue))
        case .failed(let error): (.onError, ascii(error.rawValue))
        case .connected, .disconnected, .keySerialNumbers, .encrypted, .exchanged, .autoConfigurationProgress,
            .autoConfigured, .autoConfigurationFailed:
            nil
        }
    }

    private static func content(of request: BBPOSRequest, _ objects: [UInt8]) -> (BBPOSMessage, [UInt8]) {
        switch request {
        case .application(let names): (.onRequestSelectApplication, list(names))
        case .amount: (.onRequestSetAmount, [])
        case .pin: (.onRequestPinEntry, [])
        case .identity: (.onRequestVerifyID, objects)
        case .confirmation: (.onRequestFinalConfirm, [])
        case .connectivity: (.onRequestCheckServerConnectivity, [])
        case .issuer: (.onRequestOnlineProcess, objects)
        case .time: (.onRequestTerminalTime, [])
        case .referral: (.onRequestReferProcess, [])
        }
    }

    /// Reads a frame of a reader.
    /// - Parameter frame: a whole frame.
    /// - Returns: the report; nil if it is none of a payment.
    package func report(_ frame: Span<UInt8>) -> BBPOSReport? {
        guard let (message, data) = wire.read(frame) else { return nil }
        let objects = ReaderBytes(copying: data.span)
        switch message {
        case .onWaitingForCard: return data.isEmpty ? .waitingForCard : nil
        case .onReturnCheckCardResult: return Self.card(data)
        case .onReturnStartEmvResult:
            let isStarted = data == Self.ascii(Self.success)
            return isStarted || data == Self.ascii(Self.failure) ? .started(isStarted) : nil
        case .onRequestSelectApplication:
            guard let names = Self.texts(data[...]), !names.isEmpty else { return nil }
            return .request(.application(names), nil)
        case .onRequestVerifyID: return .request(.identity, objects)
        case .onRequestOnlineProcess: return .request(.issuer, objects)
        case .onRequestSetAmount: return data.isEmpty ? .request(.amount, nil) : nil
        case .onRequestPinEntry: return data.isEmpty ? .request(.pin, nil) : nil
        case .onRequestFinalConfirm: return data.isEmpty ? .request(.confirmation, nil) : nil
        case .onRequestCheckServerConnectivity: return data.isEmpty ? .request(.connectivity, nil) : nil
        case .onRequestTerminalTime: return data.isEmpty ? .request(.time, nil) : nil
        case .onRequestReferProcess: return data.isEmpty ? .request(.referral, nil) : nil
        case .onRequestDisplayText: return Self.value(BBPOSDisplayText.self, data[...]).map { .display($0) }
        case .onRequestClearDisplay: return data.isEmpty ? .display(nil) : nil
        case .onReturnBatchData: return .batchData(objects)
        case .onReturnReversalData: return .reversalData(objects)
        case .onReturnTransactionResult:
            return Self.value(BBPOSTransactionResult.self, data[...]).map { .transactionEnded($0) }
        case .onReturnDeviceInfo: return Self.facts(data)
        case .onBatteryLow: return Self.value(BBPOSBattery.self, data[...]).map { .battery($0) }
        case .onError: return Self.value(BBPOSError.self, data[...]).map { .failed($0) }
        default: return nil
        }
    }

    /// The result of waiting for a card: its name after its length, and after a swipe the tracks, each after its
    /// length.
    private static func card(_ data: [UInt8]) -> BBPOSReport? {
        guard let count = data.first, data.count > Int(count),
            let result = value(BBPOSCheckCardResult.self, data[1..<1 + Int(count)])
        else { return nil }
        let rest = Array(data.dropFirst(1 + Int(count)))
        return .card(result, rest.isEmpty ? nil : ReaderSwipe(tracks: rest.span, family: "bbpos"))
    }

    private static func facts(_ data: [UInt8]) -> BBPOSReport? {
        guard let found = texts(data[...]), found.count.isMultiple(of: 2) else { return nil }
        var facts: [String: String] = [:]
        for index in stride(from: 0, to: found.count, by: 2) { facts[found[index]] = found[index + 1] }
        return .deviceInfo(facts)
    }

    // MARK: forms of values

    private static var success: String { "SUCCESS" }
    private static var failure: String { "FAIL" }

    private static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func text(_ data: ArraySlice<UInt8>) -> String? {
        data.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: data, as: UTF8.self) : nil
    }

    /// A value of the SDK by its name.
    private static func value<Value: RawRepresentable>(_ type: Value.Type, _ data: ArraySlice<UInt8>) -> Value?
    where Value.RawValue == String {
        text(data).flatMap { Value(rawValue: $0) }
    }

    private static func list(_ texts: [String]) -> [UInt8] {
        texts.flatMap { [UInt8(min($0.utf8.count, 255))] + Array($0.utf8.prefix(255)) }
    }

    private static func texts(_ data: ArraySlice<UInt8>) -> [String]? {
        var found: [String] = []
        var rest = data
        while let count = rest.popFirst() {
            guard rest.count >= Int(count), let next = text(rest.prefix(Int(count))) else { return nil }
            found.append(next)
            rest = rest.dropFirst(Int(count))
        }
        return found
    }

    private static func tracks(_ swipe: ReaderSwipe?) -> [UInt8] {
        guard let swipe else { return [] }
        return (1...3).flatMap { number -> [UInt8] in
            let track = swipe.withPart(.track(number)) { octets in octets.indices.map { octets[$0] } } ?? []
            return [UInt8(min(track.count, 255))] + track.prefix(255)
        }
    }

    private static func octets(_ objects: ReaderBytes?) -> [UInt8] {
        objects?.withBytes { bytes in bytes.indices.map { bytes[$0] } } ?? []
    }

    private static func flag(_ isTrue: Bool) -> UInt8 { isTrue ? 1 : 0 }

    private static func flag(_ data: [UInt8]) -> Bool? { data.count == 1 && data[0] < 2 ? data[0] == 1 : nil }

    /// Whole seconds, at most 255.
    private static func seconds(_ time: Duration) -> UInt8 { UInt8(clamping: time.components.seconds) }

    private static func number(_ data: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for octet in data {
            guard octet >> 4 < 10, octet & 15 < 10 else { return nil }
            number = number * 100 + Int(octet >> 4) * 10 + Int(octet & 15)
        }
        return number
    }
}
