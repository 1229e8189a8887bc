import JackdawCards
import JackdawDSP
import JackdawTransport

/// How MagTek's eDynamo and tDynamo are listened to over Bluetooth Low Energy: they read cards at any time, and notify of each
/// swipe in numbered blocks. The link has to hand over one notification each time (``MagTekService/cardData``).
///
/// Source: MagTek's eDynamo programmer's manual D998200115.
public struct EDynamoDialect: ReaderDialect {
    /// The family.
    public let family = "edynamo"
    /// How long things take.
    public let times: ReaderTimes
    /// It reads cards at any time.
    public let isAlwaysArmed = true

    private var joining = JoinedMessage(MagTekBlockJoiner())

    /// - Parameter times: how long things take.
    public init(times: ReaderTimes = ReaderTimes()) { self.times = times }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Nothing: who it is comes with each swipe.
    public var identification: [ReaderRequest] { [] }

    /// Notifications, which the link keeps apart.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { PacketFormat() }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What a notification means, once the last of a message has come.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        do throws(JoiningFault) {
            guard let message = try joining.receive(frame) else { return [] }
            return message.withBytes { understand(message: $0) }
        } catch {
            // Nearly all messages are swipes: whoever has swiped has to do it again.
            return [.badSwipe("a message of the reader is lost: \(error)")]
        }
    }

    /// Forgets a message that has begun.
    public mutating func reset() { joining = JoinedMessage(MagTekBlockJoiner()) }

    private func understand(message: Span<UInt8>) -> [ReaderMeaning] {
        do throws(FrameFault) {
            let kind = try MagTekPayloadFormat.kind(of: message)
            guard kind.isCardData else { return [.unknown("a notification of \(message.count - 1) bytes")] }
            let content = message.extracting(1...)
            guard kind.isShortened else { return swipe(content) }
            var record = try MagTekRunLength.decode(content)
            defer { record.wipe() }
            return swipe(record.span)
        } catch {
            return [.badSwipe("a message of the reader is not to be read: \(error)")]
        }
    }

    private func swipe(_ record: Span<UInt8>) -> [ReaderMeaning] {
        let layout: MagTekCardRecord
        do throws(FrameFault) {
            layout = try MagTekCardRecord(record)
        } catch {
            return [.badSwipe("its fields do not fit: \(error)")]
        }
        let battery: [ReaderMeaning] = layout.battery.map { [.told(.battery(BatteryReport(percent: $0)))] } ?? []
        if let meaning = layout.encryption.meaning { return battery + [meaning] }
        guard layout.tracks.contains(where: { !$0.isDamaged && !($0.encrypted.isEmpty && $0.masked.isEmpty) }) else {
            return battery + [.badSwipe("no track was read")]
        }
        return battery + [.swipe(swipe(record, layout))]
    }

    private func swipe(_ record: Span<UInt8>, _ layout: MagTekCardRecord) -> ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        for (index, track) in layout.tracks.enumerated() {
            let number = index + 1
            builder.add(.maskedTrack(number), record.extracting(track.masked))
            if layout.isEncrypted {
                builder.add(.encryptedTrack(number), record.extracting(track.encrypted))
            } else {
                builder.add(.track(number), record.extracting(track.encrypted).extracting(first: track.length))
            }
        }
        builder.add(.magnePrintStatus, record.extracting(MagTekCardRecord.Place.magnePrintStatus))
        builder.add(.magnePrint, record.extracting(layout.magnePrint))
        builder.add(.serialNumber, record.extracting(layout.serialNumber))
        if layout.isEncrypted {
            builder.add(.session, record.extracting(layout.session))
            builder.add(.keySerialNumber, record.extracting(layout.keySerialNumber))
        }
        builder.add(.frame, record)
        return builder.finish(family: family, cipher: layout.isEncrypted ? .tripleDES : nil)
    }
}
