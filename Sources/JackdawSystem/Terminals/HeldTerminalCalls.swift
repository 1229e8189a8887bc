/// The calls for the master of a pair of terminals, with a hold on the other end: as long as somebody has that open, the
/// system does not say that the pair has ended, whoever else comes and goes.
package struct HeldTerminalCalls: StreamCalls {
    private let calls: any StreamCalls
    private let held: Int32

    /// - Parameters:
    ///   - calls: the system's.
    ///   - held: the other end, which is closed with the master.
    package init(_ calls: any StreamCalls, holding held: Int32) {
        self.calls = calls
        self.held = held
    }

    package func receive(
        _ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>
    ) throws(SystemFailure) -> Int {
        try calls.receive(descriptor, into: &bytes, room)
    }

    package func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool { try calls.hasEnded(descriptor) }

    package func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        try calls.send(descriptor, bytes)
    }

    package func endSending(_ descriptor: Int32) throws(SystemFailure) { try calls.endSending(descriptor) }

    package func close(_ descriptor: Int32) {
        calls.close(held)
        calls.close(descriptor)
    }
}
