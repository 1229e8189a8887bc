extension [Float] {
    /// The median around each element: of those at most `reach(index)` away, fewer at the ends; of an even number, the
    /// upper one. The window is kept sorted as it slides.
    /// - Parameter reach: elements to either side of an index; changes by one at most from an index to the next.
    /// - Returns: as many medians as there are elements.
    func slidingMedians(reach: (Int) -> Int) -> [Float] {
        var window: [Float] = []
        var held = 0..<0
        return indices.map { index in
            let reach = reach(index)
            let wanted = Swift.max(0, index - reach)..<Swift.min(count, index + reach + 1)
            for added in held.upperBound..<Swift.max(wanted.upperBound, held.upperBound) {
                window.insert(self[added], at: window.partitioningIndex(of: self[added]))
            }
            for removed in held.lowerBound..<Swift.max(wanted.lowerBound, held.lowerBound) {
                window.remove(at: window.partitioningIndex(of: self[removed]))
            }
            for removed in wanted.upperBound..<Swift.max(held.upperBound, wanted.upperBound) {
                window.remove(at: window.partitioningIndex(of: self[removed]))
            }
            for added in wanted.lowerBound..<Swift.max(held.lowerBound, wanted.lowerBound) {
                window.insert(self[added], at: window.partitioningIndex(of: self[added]))
            }
            held = wanted
            return window[window.count / 2]
        }
    }

    /// Index of the first element not smaller, in a sorted array.
    private func partitioningIndex(of value: Float) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
