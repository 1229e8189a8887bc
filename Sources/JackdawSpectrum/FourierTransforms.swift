import CFFTW
import JackdawBytes
import Synchronization

/// The discrete Fourier transform of complex samples, planned once for a length. Its memory holds sound and is wiped
/// before it is freed.
@safe
final class ComplexTransform {
    /// The direction of a transform.
    enum Direction {
        /// The sum over n of x[n] · exp(-2πi · kn / count).
        case forward
        /// The sum over n of x[n] · exp(2πi · kn / count), not scaled.
        case backward
    }

    /// Complex numbers of the input and of the output.
    let count: Int
    private let memory: SecretBuffer<SIMD2<Float>>
    private let plan: fftwf_plan

    private static let counts = 1...1 << 26

    /// Plans a transform.
    /// - Parameters:
    ///   - count: 1 to 67,108,864; powers of two are fastest.
    ///   - direction: the direction of the transform.
    /// - Throws: ``SpectrumError`` with code `unsupportedLength` for other lengths, and `outOfMemory`.
    init(count: Int, _ direction: Direction) throws(SpectrumError) {
        guard Self.counts.contains(count) else {
            throw SpectrumError(
                code: .unsupportedLength,
                message: "a transform has 1 to \(Self.counts.upperBound) numbers, not \(count)")
        }
        var planned: fftwf_plan?
        let sign = direction == .forward ? FFTW_FORWARD : FFTW_BACKWARD
        let memory = SecretBuffer<SIMD2<Float>>(zeroed: count)
        let elements = unsafe memory.elements
        RealTransform.planner.withLock { _ in
            unsafe planned = elements.withMemoryRebound(to: fftwf_complex.self) {
                unsafe fftwf_plan_dft_1d(CInt(count), $0.baseAddress, $0.baseAddress, sign, UInt32(FFTW_ESTIMATE))
            }
        }
        guard let plan = unsafe planned else {
            throw SpectrumError(
                code: .outOfMemory, message: "there is no memory for a transform of \(count) numbers")
        }
        self.count = count
        self.memory = memory
        unsafe self.plan = plan
    }

    deinit {
        RealTransform.planner.withLock { _ in unsafe fftwf_destroy_plan(plan) }
    }

    /// Transforms an input that starts as zeros.
    /// - Parameters:
    ///   - wanted: how many numbers to return.
    ///   - fill: writes the input, real parts in `x`.
    /// - Returns: the first numbers of the transform.
    func transform(first wanted: Int, _ fill: (inout MutableSpan<SIMD2<Float>>) -> Void) -> [SIMD2<Float>] {
        let elements = unsafe memory.elements
        unsafe elements.update(repeating: .zero)
        var input = unsafe elements.mutableSpan
        fill(&input)
        unsafe fftwf_execute(plan)
        return unsafe Array(elements.prefix(wanted))
    }
}

/// Transforms that are planned when they are first needed. Each survey owns one shelf, so that only one thread uses it
/// at a time.
@safe
final class TransformShelf: @unchecked Sendable {
    private var forward: [Int: ComplexTransform] = [:]
    private var backward: [Int: ComplexTransform] = [:]

    /// The transform of a length, planned at the first call.
    /// - Throws: ``SpectrumError`` if it could not be planned.
    func transform(_ count: Int, _ direction: ComplexTransform.Direction) throws(SpectrumError) -> ComplexTransform {
        if let found = direction == .forward ? forward[count] : backward[count] { return found }
        let made = try ComplexTransform(count: count, direction)
        if direction == .forward { forward[count] = made } else { backward[count] = made }
        return made
    }
}

/// The discrete Fourier transform of real samples, planned once for a length and then executed any number of times. Its
/// memory holds sound and is wiped before it is freed.
@safe
package struct RealTransform: ~Copyable, @unchecked Sendable {
    /// Samples that a transform takes.
    package let count: Int
    /// Frequencies that a transform returns, from 0 to half the sample rate: `count / 2 + 1`.
    package var binCount: Int { count / 2 + 1 }

    private let input: UnsafeMutablePointer<Float>
    /// Real and imaginary parts alternate.
    private let output: UnsafeMutablePointer<Float>
    private let plan: fftwf_plan

    /// FFTW plans one transform at a time; only execution is safe in parallel.
    static let planner = Mutex(())

    /// Plans a transform.
    /// - Parameter count: an even number of samples, 2 to 4,194,304; powers of two are fastest.
    /// - Throws: ``SpectrumError`` with code `unsupportedLength` for other numbers, and `outOfMemory`.
    package init(count: Int) throws(SpectrumError) {
        guard count >= 2 && count <= 1 << 22 && count.isMultiple(of: 2) else {
            throw SpectrumError(
                code: .unsupportedLength,
                message: "a transform has an even number of samples, 2 to \(1 << 22), not \(count)")
        }
        var planned: fftwf_plan?
        var memory: (input: UnsafeMutablePointer<Float>?, output: UnsafeMutablePointer<Float>?)
        unsafe memory = (fftwf_alloc_real(count), fftwf_alloc_real(count + 2))
        if let input = unsafe memory.input, let output = unsafe memory.output {
            // If FFTW measured which algorithm is fastest, results would depend on the load of the machine.
            Self.planner.withLock { _ in
                unsafe planned = output.withMemoryRebound(to: fftwf_complex.self, capacity: count / 2 + 1) {
                    unsafe fftwf_plan_dft_r2c_1d(CInt(count), input, $0, UInt32(FFTW_ESTIMATE))
                }
            }
        }
        guard let plan = unsafe planned, let input = unsafe memory.input, let output = unsafe memory.output else {
            // One of the two may be nil, which `fftwf_free` ignores.
            unsafe fftwf_free(memory.input)
            unsafe fftwf_free(memory.output)
            throw SpectrumError(
                code: .outOfMemory, message: "there is no memory for a transform of \(count) samples")
        }
        unsafe (self.count, self.input, self.output, self.plan) = (count, input, output, plan)
    }

    deinit {
        Self.planner.withLock { _ in unsafe fftwf_destroy_plan(plan) }
        unsafe overwrite(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: input, count: count)))
        unsafe overwrite(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: output, count: count + 2)))
        unsafe fftwf_free(input)
        unsafe fftwf_free(output)
    }

    /// Transforms samples: the sum over n of x[n] · exp(-2πi · kn / count), not scaled.
    /// - Parameters:
    ///   - samples: at most ``count``; zeros fill the rest.
    ///   - spectrum: room for ``binCount`` numbers, real part in `x`, imaginary part in `y`.
    package mutating func transform(_ samples: Span<Float>, into spectrum: inout MutableSpan<SIMD2<Float>>) {
        precondition(samples.count <= count && spectrum.count >= binCount, "the transform has another length")
        for index in samples.indices { unsafe input[index] = samples[index] }
        execute(filled: samples.count)
        for bin in 0..<binCount { spectrum[bin] = unsafe SIMD2(output[2 * bin], output[2 * bin + 1]) }
    }

    /// Transforms weighted samples and returns the squared magnitudes, not scaled.
    /// - Parameters:
    ///   - samples: at most ``count``; zeros fill the rest.
    ///   - weights: a factor for each sample.
    ///   - power: room for ``binCount`` numbers.
    package mutating func power(
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

/// A buffer of samples, wiped before its memory is freed: recordings of swipes are card data.
struct SampleBuffer: ~Copyable, Sendable {
    let capacity: Int
    /// Samples in the buffer, 0 to `capacity`.
    private(set) var count = 0
    private let storage: SecretBuffer<Float>

    /// An empty buffer for `capacity` samples.
    init(capacity: Int) {
        self.capacity = capacity
        storage = SecretBuffer(zeroed: capacity)
    }

    /// Whether there is no more room.
    var isFull: Bool { count == capacity }

    /// Copies as many samples as there is room for.
    /// - Parameters:
    ///   - samples: the next samples of a stream.
    ///   - start: how many of them were copied already; increased by the number copied.
    mutating func take(_ samples: Span<Float>, from start: inout Int) {
        let taken = min(capacity - count, samples.count - start)
        for index in 0..<taken { unsafe storage.elements[count + index] = samples[start + index] }
        count += taken
        start += taken
    }

    /// Copies as many 16-bit samples as there is room for, and scales them to ±1.
    mutating func take(_ samples: Span<Int16>, from start: inout Int) {
        let taken = min(capacity - count, samples.count - start)
        for index in 0..<taken { unsafe storage.elements[count + index] = Float(samples[start + index]) * (1 / 32_768) }
        count += taken
        start += taken
    }

    /// Drops all but the last samples.
    mutating func keep(last kept: Int) {
        precondition(kept <= count, "fewer samples are stored")
        for index in 0..<kept { unsafe storage.elements[index] = storage.elements[count - kept + index] }
        count = kept
    }

    /// Replaces samples by 0 that are not finite or exceed a magnitude.
    mutating func replaceSamples(beyond limit: Float) {
        for index in 0..<count {
            let sample = unsafe storage.elements[index]
            // Comparisons with NaN are false.
            unsafe storage.elements[index] = sample.magnitude <= limit ? sample : 0
        }
    }

    /// Runs a body over the samples in the buffer.
    borrowing func withSamples<Result, Failure>(
        _ body: (Span<Float>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage.elements.extracting(..<count))))
    }
}

/// The error of a spectrum or a survey that could not be computed.
public struct SpectrumError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unsupportedSampleRate, unsupportedLength, outOfMemory }
        private let kind: Kind
        /// The sample rate is not over 0 Hz, or outside ``RecordingSurvey/sampleRates`` for a survey.
        public static let unsupportedSampleRate = Code(kind: .unsupportedSampleRate)
        /// No transform has this number of samples: see `RealTransform/init(count:)`.
        public static let unsupportedLength = Code(kind: .unsupportedLength)
        /// FFTW could not allocate memory for a transform.
        public static let outOfMemory = Code(kind: .outOfMemory)
    }

    /// The kind of failure, for programs.
    public let code: Code
    /// The value and its range, in one line for the user.
    public let message: String

    public var description: String { message }
}
