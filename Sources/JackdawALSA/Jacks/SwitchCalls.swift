import JackdawSystem

/// The system calls that the switches of an input device are read with; tests script them.
protocol SwitchCalls: AnyObject {
    /// The open device.
    var descriptor: Int32 { get }
    /// The switches that are on, by their numbers. The request is `EVIOCGSW`.
    func switchesOn() throws(SystemFailure) -> Set<UInt16>
    /// The next events, without waiting; none at the end of the file. The corresponding C function is `read`.
    /// - Throws: ``SystemFailure`` with `EAGAIN` where there are none.
    func events() throws(SystemFailure) -> [InputEvent]
}

/// What an input device tells (`struct input_event` of the kernel, without its time).
struct InputEvent: Hashable {
    let type: UInt16
    let code: UInt16
    let value: Int32
}
