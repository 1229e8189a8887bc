import JackdawALSA
import JackdawTransport

/// The sound of the system that the command runs on; tests have one of their own.
struct SoundSystem {
    /// Finds the cards.
    var cards: () throws(LinkError) -> SoundCards = { () throws(LinkError) in try SoundCards() }
    /// Watches the jacks of a card, by its short name.
    var jacks: (String) throws(LinkError) -> JackMonitor = { card throws(LinkError) in try JackMonitor(card: card) }
    /// Says why a device cannot be opened.
    var diagnosis = DeviceDiagnosis()
    /// The time of day.
    var wallClock = WallClock()
}
