import SwipeController

/// Asks the user at the terminal the questions of a swipe controller.
struct TerminalInteraction: SwipeInteraction {
    let conversation: Conversation
    /// Whether `--yes` confirms all questions.
    let agreesToAll: Bool
    /// Whether standard input is a terminal, so that a user can answer.
    let isTerminal: Bool

    func confirm(_ question: String) async -> Bool {
        if agreesToAll { return true }
        guard isTerminal else {
            conversation.message("\(question) no: give --yes, because there is no terminal to ask at")
            return false
        }
        return await conversation.agrees(to: "\(question) [y/N]")
    }

    func show(_ text: String) async { conversation.message(text) }

    /// Does nothing: the conversation itself closes a question that is over.
    func dismiss() async {}

    func mayPlayLoudTones() async -> Bool {
        await confirm("play tones at maximum volume, with headphones off?")
    }
}
