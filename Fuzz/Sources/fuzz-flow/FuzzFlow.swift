import JackdawEMV

/// Gives a payment the events of the input: one octet for the policy, then three for each event: the event, the
/// identifier that it answers with the host's hidden decision, and the time that passes. The rules are those of the
/// unit tests, whose files this target has as links.
@c(LLVMFuzzerTestOneInput)
public func fuzzFlow(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var policy = PaymentPolicy()
    let choices = octets.first ?? 0
    policy.fallsBackWithoutCommonApplication = choices & 1 == 0
    policy.maxTapFailures = Int(choices >> 1 & 7)
    var walk = PaymentWalk(policy: policy)
    for place in stride(from: 1, to: octets.count - 2, by: 3) {
        let event = PaymentEvent.allCases[Int(octets[place]) % PaymentEvent.allCases.count]
        walk.happen(
            event, answering(octets[place + 1]), after: elapsed(octets[place + 2], walk),
            choice: Int(octets[place + 1] >> 5))
    }
    walk.expire()
    if let failure = walk.failure { preconditionFailure(failure) }
    return 0
}

private func answering(_ octet: UInt8) -> PaymentWalk.Answering {
    switch octet & 31 {
    case 28: .nothing
    case 29: .identifier(.max)
    case 30: .identifier(.min)
    case 20..<28: .identifier(Int(octet & 31) - 20)
    default: .openTask
    }
}

/// Up to 200 ms in milliseconds, then seconds; the greatest is the time to the deadline.
private func elapsed(_ octet: UInt8, _ walk: PaymentWalk) -> Duration {
    switch octet {
    case 255: max(.zero, (walk.payment.nextDeadline ?? walk.now) - walk.now)
    case 201...: .seconds(Int(octet) - 200)
    default: .milliseconds(Int(octet))
    }
}
