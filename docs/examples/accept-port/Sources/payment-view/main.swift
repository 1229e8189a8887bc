import Accept
import Foundation
import JackdawCards
import JackdawLinux
import JackdawPayments
import JackdawTransport

// Sells and takes the payment back, at a reader and a sandbox: payment-view LINK ISSUER AMOUNT.

let arguments = CommandLine.arguments
guard arguments.count == 4, let issuer = FileManager.default.contents(atPath: arguments[2]) else {
    print("usage: payment-view LINK ISSUER AMOUNT")
    exit(2)
}
let link = try LinkName(parsing: arguments[1])
let host = try SandboxHost(issuer: [UInt8](issuer))
let date: @Sendable () -> RecordedTime = { RecordedTime(seconds: Int64(Date().timeIntervalSince1970), offset: 0) }

func secret(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }

// The program's part, which the SDK had inside: connections, the journal, the terminals.
let accept = Accept(date: date) { _ in host }
let service = PaymentService(
    host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: MemoryJournal(),
    policy: Accept.paymentPolicy, date: date, reader: accept.reader)
let posMate = AcceptReaderTerminals.Reader(
    vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
    terminal: AcceptTerminal(uuid: "PosMate", displayName: "PosMate", model: "PosMate"), model: .posMate,
    open: { () async throws(LinkError) in try await LinuxDevices().connect(link) })
accept.use(service)
accept.use(AcceptReaderTerminals([posMate], date: date, seal: { .tagLengthValue($0) }))
try await service.start()

let backendConfig = AcceptDataServiceConfig(
    url: "https://localhost", clientId: "jackdaw", clientSecret: secret("jackdaw-secret"))
let view = PaymentView(accept, backendConfig)
print(await view.tokenLabel)
await view.login("till-1", secret("till-1-password"))
print(await view.tokenLabel)
await view.enter(arguments[3])
await view.pay()
print(await view.infoLabel)
if await view.isRevertEnabled {
    await view.revert()
    print(await view.infoLabel)
}
await service.shutDown()
