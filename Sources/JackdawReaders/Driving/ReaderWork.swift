/// Requests that belong together, one sent when the one before was answered.
struct ReaderWork {
    enum Purpose {
        case identifying
        case arming(Duration)
        case disarming(DisarmReason)
        case asking(ReaderQuestion)
        case setting(ReaderSetting)
        case keepingAlive
        case poweringDown

        var state: ReaderState {
            switch self {
            case .identifying: .identifying
            case .arming: .arming
            case .disarming: .disarming
            case .asking, .setting: .asking
            // Whatever is wanted meanwhile comes first.
            case .keepingAlive: .ready
            case .poweringDown: .poweringDown
            }
        }
    }

    let purpose: Purpose
    /// The one that was sent last, or is to be sent, and those after it.
    var requests: ArraySlice<ReaderRequest>
    var facts: [ReaderFact] = []
    /// How often the first one was sent.
    var tries = 0
    /// When the answer is late; nil while nothing was sent.
    var deadline: Duration?
    /// Whether what comes may be the answer: not what came before the request has gone out.
    var isAwaiting = false
}
