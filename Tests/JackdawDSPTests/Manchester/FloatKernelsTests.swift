import Testing

@testable import JackdawDSP

struct FloatKernelsTests {
    private static let numbers = (0..<32).map { Float($0) }

    @Test func loadsBeginAtTheirIndex() {
        let numbers = Self.numbers
        let bytes = unsafe numbers.span.bytes
        #expect(FloatKernels.load(bytes, 24) == SIMD8(24, 25, 26, 27, 28, 29, 30, 31))
        #expect(FloatKernels.loadSixteen(bytes, 16).lowHalf == SIMD8(16, 17, 18, 19, 20, 21, 22, 23))
        #expect(FloatKernels.loadSixteen(bytes, 16).highHalf == FloatKernels.load(bytes, 24))
    }

    /// Where a span ends is checked, and where it begins.
    @Test func loadsBeyondTheSpanTrap() async {
        await #expect(processExitsWith: .failure) {
            let numbers = FloatKernelsTests.numbers
            _ = FloatKernels.load(unsafe numbers.span.bytes, 25)
        }
        await #expect(processExitsWith: .failure) {
            let numbers = FloatKernelsTests.numbers
            _ = FloatKernels.loadSixteen(unsafe numbers.span.bytes, 17)
        }
        await #expect(processExitsWith: .failure) {
            let numbers = FloatKernelsTests.numbers
            _ = FloatKernels.load(unsafe numbers.span.bytes, -1)
        }
    }
}
