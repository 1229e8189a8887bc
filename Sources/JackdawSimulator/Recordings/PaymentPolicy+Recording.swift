import JackdawEMV
import JackdawReaders

// The rules of a recorded payment, as the header of its file has them.

extension PaymentPolicy {
    /// The choices that are yes or no, by their names in the file.
    private static var flags: [(name: String, path: WritableKeyPath<PaymentPolicy, Bool>)] {
        [
            ("falls_back_without_common_application", \.fallsBackWithoutCommonApplication),
            ("approves_offline_after_host_timeout", \.approvesOfflineAfterHostTimeout),
            ("reverses_on_link_loss", \.reversesOnLinkLoss), ("reverses_on_card_decline", \.reversesOnCardDecline),
            ("reverses_on_timeout", \.reversesOnTimeout),
            ("reverses_on_signature_rejection", \.reversesOnSignatureRejection),
            ("reverses_on_crash", \.reversesOnCrash), ("reverses_on_card_removal", \.reversesOnCardRemoval),
        ]
    }

    private static let maxTapFailuresName = "max_tap_failures"
    private static let limitsName = "limits"

    /// The rules as an object of the header.
    var recorded: JSONValue {
        var members: [String: JSONValue] = [
            // A recording has fewer taps than entries, and a value below 1 counts as 1.
            Self.maxTapFailuresName: .number(Double(min(max(maxTapFailures, 1), PaymentRecording.maxEntries))),
            Self.limitsName: limits.recorded,
        ]
        for (name, path) in Self.flags { members[name] = .flag(self[keyPath: path]) }
        return .object(members)
    }

    /// The rules of a header.
    /// - Parameter object: the object, with each rule.
    /// - Throws: ``SimulationFileError`` if a rule is missing or has another form, or there is another member.
    init(recorded object: DescriptionObject) throws(SimulationFileError) {
        self.init()
        let flags = Self.flags
        try object.allow([Self.maxTapFailuresName, Self.limitsName] + flags.map(\.name))
        maxTapFailures = try object.number(Self.maxTapFailuresName, 1...PaymentRecording.maxEntries)
        limits = try PaymentLimits(recorded: object.object(Self.limitsName))
        for (name, path) in flags { self[keyPath: path] = try object.flag(name) }
    }
}

extension PaymentLimits {
    /// The limits, by their names in the file.
    private static var times: [(name: String, path: WritableKeyPath<PaymentLimits, Duration>)] {
        [
            ("preparation", \.preparation), ("card", \.card), ("application", \.application), ("kernel", \.kernel),
            ("pin", \.pin), ("host", \.host), ("completion", \.completion), ("reader_signature", \.readerSignature),
            ("signature", \.signature), ("storing", \.storing),
        ]
    }

    fileprivate var recorded: JSONValue {
        var members: [String: JSONValue] = [:]
        for (name, path) in Self.times { members[name] = .text(self[keyPath: path].recorded) }
        return .object(members)
    }

    fileprivate init(recorded object: DescriptionObject) throws(SimulationFileError) {
        self.init()
        let times = Self.times
        try object.allow(times.map(\.name))
        for (name, path) in times { self[keyPath: path] = try object.recordedTime(name) }
    }
}

extension DescriptionObject {
    /// A member that is a time of a recording.
    func recordedTime(_ name: String) throws(SimulationFileError) -> Duration {
        guard let time = Duration(recorded: try text(name)) else {
            throw SimulationFileError(
                .value, at: place(of: name), "it must be seconds with six decimals, at most a week")
        }
        return time
    }
}
