// The effects of a kernel and their answers.

/// The effects of a kernel: their identifiers, and the one that is open. At most one is open at a time.
struct KernelEffects: Sendable {
    private var current: KernelEffect?
    private var lastIdentifier = 0
    private var hasStarted = false

    /// Begins the transaction.
    /// - Returns: false if it has begun before.
    mutating func start() -> Bool {
        defer { hasStarted = true }
        return !hasStarted
    }

    mutating func open(_ task: KernelEffect.Task) -> KernelEffect {
        lastIdentifier += 1
        let effect = KernelEffect(identifier: lastIdentifier, task: task)
        current = effect
        return effect
    }

    /// Closes the open effect with its answer.
    /// - Returns: nil; or the reason for which the answer is ignored, and the effect stays open.
    mutating func close(_ identifier: Int, with answer: KernelAnswer) -> IgnoredAnswer? {
        guard let current, identifier == current.identifier else {
            return identifier > 0 && identifier <= lastIdentifier ? .late : .unknown
        }
        guard answer.fits(current.task) else { return .invalid }
        self.current = nil
        return nil
    }
}

extension KernelAnswer {
    /// Whether this can be the answer to a task.
    fileprivate func fits(_ task: KernelEffect.Task) -> Bool {
        switch (task, self) {
        case (_, .cardLost), (_, .cancelled), (.transmit, .response), (.authorise, .host): true
        case (.enterPIN, .pinBypassed), (.enterPIN, .pinPadFailed): true
        case (.enterPIN(let request), .onlinePINEntered): request.isOnline
        case (.enterPIN(let request), .pin(let digits)): !request.isOnline && digits.isPIN
        case (.random(let count), .random(let octets)): octets.count == count
        default: false
        }
    }
}

extension SecretOctets {
    /// Whether the octets are 4 to 12 digits.
    fileprivate var isPIN: Bool {
        withOctets { digits in
            (4...12).contains(digits.count) && digits.indices.allSatisfy { digits[$0] <= 9 }
        }
    }
}
