import JackdawEMV
import JackdawReaders
import JackdawTransport

/// A chip card at a link whose packets are commands and answers.
struct ChipCard {
    private let transport: any Transport

    init(_ transport: any Transport) { self.transport = transport }

    /// Reads a card, prints each command with its answer, and closes the link.
    /// - Parameters:
    ///   - survey: decides which commands are sent.
    ///   - explainer: explains them.
    ///   - isJSON: whether objects are printed instead of text.
    ///   - conversation: writes the output.
    /// - Returns: the number of applications.
    /// - Throws: `CommandError` with the status of the link's error.
    func read(
        _ survey: CardSurvey, _ explainer: TraceExplainer<some AuthenticationPrimitives>, isJSON: Bool,
        _ conversation: Conversation
    ) async throws(CommandError) -> Int {
        var reading = survey
        var explaining = explainer
        let channel = CardChannel(transport)
        do throws(LinkError) {
            var next = reading.start()
            while let command = next {
                let answer = try await channel.transmit(command)
                let report = ExchangeReport(exchange: explaining.explain(command, answer: answer))
                if isJSON { conversation.result(report.json) } else { report.lines.forEach(conversation.result) }
                await conversation.waitForRoom()
                next = reading.receive(answer)
            }
        } catch {
            await transport.close()
            throw CommandError(error)
        }
        await transport.close()
        return reading.applications.count
    }
}
