import CFFTW
import Glibc
import Synchronization

/// The discrete Fourier transform of real samples, planned once for a length and then executed any number of times. Its
/// memory held sound and is overwritten before it is given back.
@safe
public struct RealTransform: ~Copyable, @unchecked Sendable {
    /// Samples a transform.
    public let count: Int
    /// Frequencies a transform gives, from 0 to half the sample rate: `count / 2 + 1`.
    public var binCount: Int { count / 2 + 1 }

    private let input: UnsafeMutablePointer<Float>
    /// Real and imaginary parts in turn.
    private let output: UnsafeMutablePointer<Float>
    private let plan: fftwf_plan

    /// FFTW plans one transform at a time; only execution is safe in parallel.
    static let planner = Mutex(())

    /// Plans a transform.
    /// - Parameter count: an even number of samples, 2 to 4,194,304; powers of two are fastest.
    /// - Throws: ``SpectrumError`` with code `unsupportedLength` for other numbers, and `outOfMemory`.
    public init(count: Int) throws(SpectrumError) {
        guard count >= 2 && count <= 1 << 22 && count.isMultiple(of: 2) else {
            throw SpectrumError(
                code: .unsupportedLength,
                description: "a transform has an even number of samples, 2 to \(1 << 22), not \(count)")
        }
        var planned: fftwf_plan?
        var memory: (input: UnsafeMutablePointer<Float>?, output: UnsafeMutablePointer<Float>?)
        unsafe memory = (fftwf_alloc_real(count), fftwf_alloc_real(count + 2))
        if let input = unsafe memory.input, let output = unsafe memory.output {
            // Measuring which algorithm is fastest would make results depend on the machine's mood.
            Self.planner.withLock { _ in
                unsafe planned = output.withMemoryRebound(to: fftwf_complex.self, capacity: count / 2 + 1) {
                    unsafe fftwf_plan_dft_r2c_1d(CInt(count), input, $0, UInt32(FFTW_ESTIMATE))
                }
            }
        }
        guard let plan = unsafe planned, let input = unsafe memory.input, let output = unsafe memory.output else {
            // Of either that was not to be had there is nothing to free.
            unsafe fftwf_free(memory.input)
            unsafe fftwf_free(memory.output)
            throw SpectrumError(
                code: .outOfMemory, description: "there is no memory for a transform of \(count) samples")
        }
        unsafe (self.count, self.input, self.output, self.plan) = (count, input, output, plan)
    }

    deinit {
        Self.planner.withLock { _ in unsafe fftwf_destroy_plan(plan) }
        unsafe explicit_bzero(input, count * MemoryLayout<Float>.stride)
        unsafe explicit_bzero(output, (count + 2) * MemoryLayout<Float>.stride)
        unsafe fftwf_free(input)
        unsafe fftwf_free(output)
    }

    /// Transforms samples: the sum over n of x[n] · exp(-2πi · kn / count), not scaled.
    /// - Parameters:
    ///   - samples: at most ``count``; zeros stand in for the rest.
    ///   - spectrum: room for ``binCount`` numbers, real part in `x`, imaginary part in `y`.
    public mutating func transform(_ samples: Span<Float>, into spectrum: inout MutableSpan<SIMD2<Float>>) {
        precondition(samples.count <= count && spectrum.count >= binCount, "the transform has another length")
        for index in samples.indices { unsafe input[index] = samples[index] }
        execute(filled: samples.count)
        for bin in 0..<binCount { spectrum[bin] = unsafe SIMD2(output[2 * bin], output[2 * bin + 1]) }
    }

    /// Transforms weighted samples and gives the squared magnitudes, not scaled.
    /// - Parameters:
    ///   - samples: at most ``count``; zeros stand in for the rest.
    ///   - weights: a factor for each sample.
    ///   - power: room for ``binCount`` numbers.
    public mutating func power(
        of samples: Span<Float>, weightedBy weights: Span<Float>, into power: inout MutableSpan<Float>
    ) {
        precondition(samples.count <= count && power.count >= binCount, "the transform has another length")
        precondition(weights.count == samples.count, "each sample has one weight")
        for index in samples.indices { unsafe input[index] = samples[index] * weights[index] }
        execute(filled: samples.count)
        for bin in 0..<binCount {
            let (real, imaginary) = unsafe (output[2 * bin], output[2 * bin + 1])
            power[bin] = real * real + imaginary * imaginary
        }
    }

    private func execute(filled: Int) {
        unsafe (input + filled).update(repeating: 0, count: count - filled)
        unsafe fftwf_execute(plan)
    }
}
