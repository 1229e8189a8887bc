import CSndFile

/// A sample type that libsndfile reads and writes.
protocol LibrarySample: BitwiseCopyable {
    /// Reads interleaved frames.
    /// - Returns: frames read.
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Self>, frames: Int) -> Int

    /// Writes interleaved frames.
    /// - Returns: frames written.
    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Self>, frames: Int) -> Int

    /// Replaces samples that are not finite by 0.
    /// - Returns: how many there were.
    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Self>) -> Int
}

extension LibrarySample where Self: FixedWidthInteger {
    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Self>) -> Int { 0 }
}

extension Int16: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Int16>, frames: Int) -> Int {
        Int(unsafe sf_readf_short(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Int16>, frames: Int) -> Int {
        Int(unsafe sf_writef_short(file, samples.baseAddress, sf_count_t(frames)))
    }
}

/// Left-justified: narrower files hold the upper bits.
extension Int32: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Int32>, frames: Int) -> Int {
        Int(unsafe sf_readf_int(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Int32>, frames: Int) -> Int {
        Int(unsafe sf_writef_int(file, samples.baseAddress, sf_count_t(frames)))
    }
}

extension Float: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Float>, frames: Int) -> Int {
        Int(unsafe sf_readf_float(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Float>, frames: Int) -> Int {
        Int(unsafe sf_writef_float(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Float>) -> Int {
        // An exponent of all ones carries into the sign bit: no branch, so the loop runs on vector instructions.
        var count: UInt32 = 0
        for index in 0..<samples.count {
            count &+= unsafe ((samples[index].bitPattern & 0x7F80_0000) &+ 0x0080_0000) >> 31
        }
        guard count > 0 else { return 0 }
        for index in samples.indices where unsafe !samples[index].isFinite { unsafe samples[index] = 0 }
        return Int(count)
    }
}
