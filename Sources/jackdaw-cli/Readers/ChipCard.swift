import JackdawBytes
import JackdawEMV
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
    /// - Throws: ``CommandError`` with the status of the link's error, or `inputOutput` if an answer is not valid.
    func read(
        _ survey: CardSurvey, _ explainer: TraceExplainer<some AuthenticationPrimitives>, isJSON: Bool,
        _ conversation: Conversation
    ) async throws(CommandError) -> Int {
        var reading = survey
        var explaining = explainer
        do throws(CommandError) {
            var next = reading.start()
            while let command = next {
                let answer = try await transmit(command)
                let report = ExchangeReport(exchange: explaining.explain(command, answer: answer))
                if isJSON { conversation.result(report.json) } else { report.lines.forEach(conversation.result) }
                await conversation.waitForRoom()
                next = reading.receive(answer)
            }
        } catch {
            await transport.close()
            throw error
        }
        await transport.close()
        return reading.applications.count
    }

    /// Sends a command and receives its whole answer, over T=0 in several parts.
    private func transmit(_ command: CardCommand) async throws(CommandError) -> CardResponse {
        var exchange = CardExchange(command)
        var next: CardCommand? = command
        while let sent = next { next = exchange.receive(try await answer(to: sent)) }
        return exchange.response
    }

    private func answer(to command: CardCommand) async throws(CommandError) -> CardResponse {
        var octets = command.octets
        defer { octets.wipe() }
        var received: CardResponse?
        do throws(LinkError) {
            try await transport.send(octets)
            _ = try await transport.receive { received = try? CardResponse($0) }
        } catch {
            throw CommandError(error)
        }
        guard let received else {
            throw CommandError(.inputOutput, "\(transport.link.shown): the card's answer has no status word")
        }
        return received
    }
}
