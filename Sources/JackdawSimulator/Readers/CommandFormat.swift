import JackdawReaders

/// Divides received bytes into the commands of a simulated reader. In families whose readers answer a command with a
/// wrong check, such a command counts as a frame.
struct CommandFormat: FrameFormat {
    private let base: any FrameFormat
    private let checkSize: Int?

    /// - Parameters:
    ///   - base: the family's format of commands.
    ///   - checkSize: bytes of the check at a command's end; nil if a command with a wrong check is ignored.
    init(_ base: any FrameFormat, checkSize: Int?) {
        self.base = base
        self.checkSize = checkSize
    }

    var greatestSize: Int { base.greatestSize }

    /// Whether a frame that this format has found is valid, its check included.
    func isRight(_ frame: Span<UInt8>) -> Bool {
        guard checkSize != nil, case .fault = base.measure(frame) else { return true }
        return false
    }

    func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }

    func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        let measure = base.measure(bytes)
        guard let checkSize, case .fault(let fault, _) = measure, fault.code == .check,
            fault.offset + checkSize <= bytes.count
        else { return measure }
        return .whole(fault.offset + checkSize)
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        base.fields(of: frame, isRevealing: isRevealing)
    }
}
