/// How far a Clover Go reader is, out of the events of its SDK: a state machine without a wire or a link, how the events go over
/// which nobody has published.
///
/// Source: Clover's SDK for Go readers (remote-pay-ios-go), and the order of its states that Clover's documentation gives.
package struct CloverGoReader: Sendable, Hashable {
    /// How far the reader is.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// Settings are loaded, or the reader is prepared.
        case initializing
        /// Firmware is downloaded or written.
        case updatingFirmware = "updatingFW"
        /// It is ready.
        case ready
        /// It is ready, and its battery is nearly empty.
        case lowBattery
        /// There is none.
        case disconnected
    }

    /// Per cent below which the battery is low.
    package static let lowBattery = 20
    /// Times that a chip is not read before the card is to be swiped.
    package static let chipTries = 3

    /// How far the reader is.
    package private(set) var status = Status.disconnected
    /// How full the battery is, 0 to 100 %; nil while the reader has not told.
    package private(set) var batteryPercent: Int?
    /// Times that the chip of a card was not read since the last that was.
    package private(set) var chipFailures = 0

    /// A reader that is not connected.
    package init() {}

    /// Whether a card with a chip may be swiped, as it could not be read.
    package var takesSwipeOfChipCard: Bool { chipFailures >= Self.chipTries }

    /// Takes that the program connects.
    package mutating func connect() {
        if status == .disconnected { status = .initializing }
    }

    /// Takes that the reader has gone, or the program lets it go.
    package mutating func disconnect() { self = CloverGoReader() }

    /// Takes how far the reader is. Means nothing of one that is not connected.
    package mutating func receive(_ event: CloverGoInitializationEvent) {
        guard status != .disconnected else { return }
        switch event {
        case .loadingSettings, .firmwareDownloadComplete, .firmwareUpdateComplete: status = .initializing
        case .downloadingFirmware, .updatingFirmware: status = .updatingFirmware
        case .initializationComplete: becomeReady()
        }
    }

    /// Takes that the reader did not become ready: it is to be connected anew.
    package mutating func receive(_ error: CloverGoDeviceError) {
        // The old firmware goes on.
        if error != .firmwareUpdateNotSupported { disconnect() }
    }

    /// Takes how full the battery is.
    /// - Parameter percent: 0 to 100; -1 where the reader does not know.
    package mutating func receive(batteryPercent percent: Int) {
        guard status != .disconnected else { return }
        batteryPercent = (0...100).contains(percent) ? percent : nil
        if status == .ready || status == .lowBattery { becomeReady() }
    }

    /// Takes what happens to a card.
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
