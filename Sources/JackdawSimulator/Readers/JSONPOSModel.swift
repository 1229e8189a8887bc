package import JackdawReaders

/// Spire's SPm20 terminal. It identifies itself, and takes no payment.
package struct JSONPOSModel: ReaderModel {
    package let family = "jsonpos"

    package init() {}

    package var commandFormat: any FrameFormat { JSONPOSFormat() }

    /// Answers with a result, or with the error that the method does not exist.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard case .request(let method, _, let id?) = try? JSONPOSMessage(command) else { return [] }
        switch method {
        case "_Sync", "_Keepalive": return [JSONPOSMessage.result(.object([:]), id: id).frame]
        case "TerminalInfo":
            let version = device.firmware.split(separator: " ").last.map(String.init) ?? ""
            return [JSONPOSMessage.result(.object(["version": .text(version)]), id: id).frame]
        case "Status":
            return [JSONPOSMessage.result(.object(["battery": .number(Double(device.battery))]), id: id).frame]
        default: return [JSONPOSMessage.failure(code: -32601, message: "no such method", id: id).frame]
        }
    }

    /// Refuses with an internal error (-32603).
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? {
        guard case .request(_, _, let id?) = try? JSONPOSMessage(command) else { return nil }
        return JSONPOSMessage.failure(code: -32603, message: "it cannot", id: id).frame
    }

    /// Nothing: the terminal handles cards by itself.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] { [] }
}

extension SimulatedFamily {
    static let jsonpos = SimulatedFamily(name: "jsonpos", reportsSwipes: false) { JSONPOSModel() }
}
