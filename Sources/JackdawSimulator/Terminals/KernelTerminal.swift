package import JackdawEMV

/// A simulated reader that runs a virtual card through its own kernel.
package protocol KernelTerminal: TimedReaderModel {
    /// The card, with its counters and blocks.
    var card: VirtualCard { get }
    /// The reasons for the course of its payments, which a real reader does not report.
    var reasons: [PaymentReason] { get }
    /// The applications among which the cardholder chooses, best first.
    var candidates: [ApplicationCandidate] { get }
}
