internal import CLinux
import Glibc
import JackdawSystem

/// An input device by the system itself.
final class EventDevice: SwitchCalls {
    let descriptor: Int32
    /// A read never ends within an event.
    private var buffer: [input_event] = Array(repeating: input_event(), count: 64)

    /// Opens a device's file, `/dev/input/event5`.
    init(_ file: String) throws(SystemFailure) {
        descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    func switchesOn() throws(SystemFailure) -> Set<UInt16> {
        var bits = [UInt8](repeating: 0, count: Int(SW_MAX) / 8 + 1)
        let request = UInt(jackdaw_eviocgsw(UInt32(bits.count)))
        let result = unsafe bits.withUnsafeMutableBytes { unsafe ioctl(descriptor, request, $0.baseAddress!) }
        guard result >= 0 else { throw .last }
        var on: Set<UInt16> = []
        for number in 0...Int(SW_MAX) where bits[number / 8] & (1 << UInt8(number % 8)) != 0 {
            on.insert(UInt16(number))
        }
        return on
    }

    func events() throws(SystemFailure) -> [InputEvent] {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .last }
        return buffer.prefix(count / MemoryLayout<input_event>.stride).map {
            InputEvent(type: $0.type, code: $0.code, value: $0.value)
        }
    }
}
