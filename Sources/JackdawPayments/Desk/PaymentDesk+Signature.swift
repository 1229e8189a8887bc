// The image of a signature: it follows the message that the host does not have yet, also after a restart.

extension PaymentDesk {
    /// Queues the image of a signature, with the records that the journal has.
    mutating func sign(_ identifier: AttemptIdentifier, _ image: HTTPBody, _ call: Int, _ found: [AttemptRecord]) {
        guard let own = newest(found).first(where: { $0.identifier == identifier }) else {
            emit(.refused(call: call, DeskRefusal(.unknownAttempt, identifier)))
            return
        }
        guard own.state == .approved, own.request.kind.needsCard else {
            emit(.refused(call: call, DeskRefusal(.originalNotApproved, identifier)))
            return
        }
        guard (1...Delivery.maxSignatureBytes).contains(image.count) else {
            let reason = ReasonText("A signature has 1 to \(Delivery.maxSignatureBytes) bytes.")
            emit(.refused(call: call, DeskRefusal(.notWritable, identifier, reason: reason)))
            return
        }
        if index(of: identifier) == nil { courses.append(Course(restoring: own, at: now)) }
        guard let index = index(of: identifier) else { return ignore() }
        courses[index].modify(on: date) { record in
            switch record.delivery?.purpose {
            case nil, .signature: record.delivery = Delivery(.signature, octets: image)
            default: record.signature = image
            }
        }
        courses[index].append(.accepted(call: call, courses[index].report))
        courses[index].append(.report(courses[index].report))
    }
}
