import JackdawALSA
import JackdawTransport

/// Reports plugs at the card that `listen` captures from.
struct JackWatch {
    let monitor: JackMonitor
    let link: LinkName

    func receive(_ console: Console) {
        _ = try? monitor.receive(within: .zero) { event in
            switch event {
            case .attached(let jack, _): console.message("\(link): \(jack) plugged in")
            case .detached(let jack, _): console.message("\(link): \(jack) pulled out")
            case .gone: break
            }
        }
    }
}
