import JackdawEMV
import JackdawPayments

/// A reader in which a chip card is always inserted, which asks for 10.00 EUR and agrees with the host.
enum InsertedCard {
    /// Answers the tasks of a service until their stream ends.
    static func answer(_ tasks: AsyncStream<ReaderTask>, of service: PaymentService) {
        Task {
            for await task in tasks {
                guard let event = event(task.effect.action) else { continue }
                await service.receive(
                    event, of: task.attempt, answering: task.effect.identifier,
                    sealed: event == .firstARQC ? card(1000) : HTTPBody())
            }
        }
    }

    private static func event(_ action: PaymentAction) -> PaymentEvent? {
        switch action {
        case .prepare: .prepared
        case .acceptCard: .cardInserted
        case .processCard: .firstARQC
        case .completeCard(.approved): .secondTC
        case .completeCard: .secondAAC
        default: nil
        }
    }
}
