/// The state of a Clover Go reader, from the events of its SDK: a state machine without a wire format or a link, as the
/// wire format of the events is not published.
///
/// Source: Clover's SDK for Go readers (remote-pay-ios-go), and the order of its states in Clover's documentation.
package struct CloverGoReader: Sendable, Hashable {
    /// The state of the reader's connection.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// Settings are being loaded, or the reader is initializing.
        case initializing
        /// Firmware is being downloaded or installed.
        case updatingFirmware = "updatingFW"
        /// The reader is ready for a transaction.
        case ready
        /// The reader is ready, and its battery is nearly empty.
        case lowBattery
        case disconnected
    }

    /// The battery is low below this percentage.
    package static let lowBattery = 20
    /// Failed attempts to read the chip after which the card must be swiped.
    package static let chipTries = 3

    package private(set) var status = Status.disconnected
    /// The battery's charge, 0 to 100 %; nil if the reader has not reported it.
    package private(set) var batteryPercent: Int?
    /// Failed attempts to read the chip since the last success.
    package private(set) var chipFailures = 0

    /// Creates the state of a disconnected reader.
    package init() {}

    /// Whether a card with a chip may be swiped because its chip cannot be read.
    package var takesSwipeOfChipCard: Bool { chipFailures >= Self.chipTries }

    /// Handles the program's request to connect.
    package mutating func connect() {
        if status == .disconnected { status = .initializing }
    }

    /// Handles the disconnection of the reader, by itself or by the program.
    package mutating func disconnect() { self = CloverGoReader() }

    /// Handles an event of the initialization. Has no effect while the reader is disconnected.
    package mutating func receive(_ event: CloverGoInitializationEvent) {
        guard status != .disconnected else { return }
        switch event {
        case .loadingSettings, .firmwareDownloadComplete, .firmwareUpdateComplete: status = .initializing
        case .downloadingFirmware, .updatingFirmware: status = .updatingFirmware
        case .initializationComplete: becomeReady()
        }
    }

    /// Handles an error of the initialization, after which the program must connect again.
    package mutating func receive(_ error: CloverGoDeviceError) {
        // The reader continues with its old firmware.
        if error != .firmwareUpdateNotSupported { disconnect() }
    }

    /// Handles a report of the battery's charge.
    /// - Parameter percent: 0 to 100; -1 if the reader does not know.
    package mutating func receive(batteryPercent percent: Int) {
        guard status != .disconnected else { return }
        batteryPercent = (0...100).contains(percent) ? percent : nil
        if status == .ready || status == .lowBattery { becomeReady() }
    }

    /// Handles an event with a card.
    package mutating func receive(_ event: CloverGoTransactionEvent) {
        guard status == .ready || status == .lowBattery else { return }
        switch event {
        case .chipFailed: chipFailures += 1
        case .chipFailedSwipe: chipFailures = Self.chipTries
        case .cardSwiped, .cardTapped, .processingTransaction: chipFailures = 0
        case .swipeFailed, .chipCardSwiped, .cardInserted, .cardRemoved, .contactlessFailedTryAgain, .cardAwaited,
            .removeCard, .severalCardsTapped, .contactlessFailedInsert, .seePhone:
            break
        }
    }

    private mutating func becomeReady() {
        status = (batteryPercent ?? 100) < Self.lowBattery ? .lowBattery : .ready
    }
}
