import CFFTW
import Glibc
import Synchronization

/// The discrete Fourier transform of complex samples, planned once for a length. Its memory held sound and is overwritten
/// before it is given back.
@safe
final class ComplexTransform {
    /// Which way a transform goes.
    enum Direction {
        /// The sum over n of x[n] · exp(-2πi · kn / count).
        case forward
        /// The sum over n of x[n] · exp(2πi · kn / count), not scaled.
        case backward
    }

    /// Numbers in and out.
    let count: Int
    private let memory: UnsafeMutableBufferPointer<SIMD2<Float>>
    private let plan: fftwf_plan

    private static let counts = 1...1 << 26

    /// Plans a transform.
    /// - Parameters:
    ///   - count: 1 to 67,108,864; powers of two are fastest.
    ///   - direction: which way.
    /// - Throws: ``SpectrumError`` with code `unsupportedLength` for other numbers, and `outOfMemory`.
    init(count: Int, _ direction: Direction) throws(SpectrumError) {
        guard Self.counts.contains(count) else {
            throw SpectrumError(
                code: .unsupportedLength,
                description: "a transform has 1 to \(Self.counts.upperBound) numbers, not \(count)")
        }
        var planned: fftwf_plan?
        let sign = direction == .forward ? FFTW_FORWARD : FFTW_BACKWARD
        let memory = UnsafeMutableBufferPointer<SIMD2<Float>>.allocate(capacity: count)
        unsafe memory.initialize(repeating: .zero)
        RealTransform.planner.withLock { _ in
            unsafe planned = memory.withMemoryRebound(to: fftwf_complex.self) {
                unsafe fftwf_plan_dft_1d(CInt(count), $0.baseAddress, $0.baseAddress, sign, UInt32(FFTW_ESTIMATE))
            }
        }
        guard let plan = unsafe planned else {
            unsafe memory.deallocate()
            throw SpectrumError(
                code: .outOfMemory, description: "there is no memory for a transform of \(count) numbers")
        }
        unsafe (self.count, self.memory, self.plan) = (count, memory, plan)
    }

    deinit {
        RealTransform.planner.withLock { _ in unsafe fftwf_destroy_plan(plan) }
        if let base = unsafe memory.baseAddress {
            unsafe explicit_bzero(base, count * MemoryLayout<SIMD2<Float>>.stride)
        }
        unsafe memory.deallocate()
    }

    /// Transforms what is put into zeros.
    /// - Parameters:
    ///   - wanted: how many numbers to return.
    ///   - fill: puts numbers, real part in `x`.
    /// - Returns: the first numbers of the transform.
    func transform(first wanted: Int, _ fill: (inout MutableSpan<SIMD2<Float>>) -> Void) -> [SIMD2<Float>] {
        unsafe memory.update(repeating: .zero)
        var input = unsafe memory.mutableSpan
        fill(&input)
        unsafe fftwf_execute(plan)
        return unsafe Array(memory.prefix(wanted))
    }
}

/// Transforms that are planned when they are first asked for. One survey has it to itself, whichever thread that is on.
@safe
final class TransformShelf: @unchecked Sendable {
    private var forward: [Int: ComplexTransform] = [:]
    private var backward: [Int: ComplexTransform] = [:]

    /// The transform of a length.
    /// - Throws: ``SpectrumError``: it could not be planned.
    func transform(_ count: Int, _ direction: ComplexTransform.Direction) throws(SpectrumError) -> ComplexTransform {
        if let found = direction == .forward ? forward[count] : backward[count] { return found }
        let made = try ComplexTransform(count: count, direction)
        if direction == .forward { forward[count] = made } else { backward[count] = made }
        return made
    }
}
