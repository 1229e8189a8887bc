import Glibc
import JackdawBluetooth
import JackdawTransport

/// The Bluetooth library at work on a real kernel and a real bluetoothd, with the lab's simulated reader at the other
/// end (`.ci/lab`). Prints a figure a line; ends with 1 and why where something is not as it has to be.
@main
enum Lab {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let (work, rest) = arguments.first.map({ ($0, Array(arguments.dropFirst())) }) else { exit(64) }
        do {
            switch (work, rest.count) {
            case ("stream", 1): try await SerialWork(rest[0]).run()
            case ("serial-loss", 1): try await SerialWork(rest[0]).loseMidTransfer()
            case ("serial-cycles", 2): try await Cycles(count(rest[1])).run(try SerialWork(rest[0]).cycle)
            case ("values", 1): try await ValueWork(rest[0]).run()
            case ("value-loss", 1): try await ValueWork(rest[0]).loseMidTransfer()
            case ("value-cycles", 2): try await Cycles(count(rest[1])).run(try ValueWork(rest[0]).cycle)
            default: exit(64)
            }
        } catch {
            print("lab: \(work): \(error)")
            exit(1)
        }
    }

    private static func count(_ text: String) throws(Unexpected) -> Int {
        guard let count = Int(text), count > 0 else { throw Unexpected("\(text) is no number") }
        return count
    }
}

/// Something is not as it has to be.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
