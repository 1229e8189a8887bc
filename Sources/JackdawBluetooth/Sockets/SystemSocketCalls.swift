internal import CBlueZ
import Glibc
internal import JackdawSystem

/// The calls as the system does them.
struct SystemSocketCalls: SocketCalls {
    func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32 {
        try retrying { kind == .rfcomm ? jackdaw_rfcomm_socket() : jackdaw_l2cap_socket() }
    }

    func setSecurity(_ descriptor: Int32, _ level: LinkSecurity) throws(SystemFailure) {
        var security = bt_security()
        security.level =
            switch level {
            case .low: UInt8(BT_SECURITY_LOW)
            case .medium: UInt8(BT_SECURITY_MEDIUM)
            case .high: UInt8(BT_SECURITY_HIGH)
            }
        let size = socklen_t(MemoryLayout<bt_security>.size)
        _ = try retrying { unsafe setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, size) }
    }

    func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        do throws(SystemFailure) {
            try unsafe withSystemAddress(address) { unsafe Glibc.connect(descriptor, $0, $1) }
        } catch {
            // Where a signal interrupted the first call, connecting went on.
            throw error.code == EALREADY ? SystemFailure(code: EINPROGRESS) : error
        }
    }

    func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = try retrying { unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) }
        return code == 0 ? nil : SystemFailure(code: code)
    }

    func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            _ = try unsafe rfcommAddress { unsafe getpeername(descriptor, $0, $1) }
            return true
        } catch {
            guard error.code == ENOTCONN else { throw error }
            return false
        }
    }

    func peer(_ descriptor: Int32) throws(SystemFailure) -> BluetoothAddress {
        let address = try unsafe rfcommAddress { unsafe getpeername(descriptor, $0, $1) }
        let lowestFirst = address.rc_bdaddr.b
        return BluetoothAddress(bytes: [
            lowestFirst.5, lowestFirst.4, lowestFirst.3, lowestFirst.2, lowestFirst.1, lowestFirst.0,
        ])
    }

    func channel(_ descriptor: Int32) throws(SystemFailure) -> UInt8 {
        try unsafe rfcommAddress { unsafe getsockname(descriptor, $0, $1) }.rc_channel
    }

    func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        try unsafe withSystemAddress(address) { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure) {
        _ = try retrying { Glibc.listen(descriptor, Int32(clamping: backlog)) }
    }

    func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32 { try retrying { jackdaw_accept(descriptor) } }

    func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeMutableBytes { all in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: all[room])
            return retried { unsafe recv(descriptor, room.baseAddress, room.count, 0) }
        }
        guard result >= 0 else { throw .last }
        return result
    }

    func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        var entry = pollfd(fd: descriptor, events: Self.hangUp, revents: 0)
        _ = try retrying { unsafe poll(&entry, 1, 0) }
        guard entry.revents != 0 else { return false }
        var waiting: Int32 = 0
        _ = try retrying { unsafe ioctl(descriptor, UInt(FIONREAD), &waiting) }
        return waiting == 0
    }

    func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retried { unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Self.noSignal) }
        }
        guard result >= 0 else { throw .last }
        return result
    }

    func endSending(_ descriptor: Int32) throws(SystemFailure) {
        _ = try retrying { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// `POLLRDHUP`, which Glibc's header hides from Swift.
    private static let hangUp: Int16 = 0x2000
    private static let noSignal = Int32(MSG_NOSIGNAL)

    /// Makes a call until no signal interrupts it.
    private func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private func retrying(_ call: () -> Int32) throws(SystemFailure) -> Int32 {
        let result = retried(call)
        guard result >= 0 else { throw .last }
        return result
    }

    private func withSystemAddress(
        _ address: SocketAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemFailure) {
        let result =
            switch address {
            case .rfcomm(let device, let channel):
                unsafe with(jackdaw_rfcomm_address(device.bytes, channel), call)
            case .l2cap(let device, let service):
                unsafe with(jackdaw_l2cap_address(device.bytes, service), call)
            }
        guard result >= 0 else { throw .last }
    }

    private func with<Address>(
        _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafeBytes(of: address) { bytes in
            let pointer = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return retried { unsafe body(pointer, socklen_t(bytes.count)) }
        }
    }

    private func rfcommAddress(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemFailure) -> sockaddr_rc {
        var address = sockaddr_rc()
        var size = socklen_t(MemoryLayout<sockaddr_rc>.size)
        let result = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return retried { unsafe call(pointer, &size) }
        }
        guard result >= 0 else { throw .last }
        return address
    }
}
