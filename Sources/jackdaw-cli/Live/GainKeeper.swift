import JackdawALSA
import JackdawTransport

/// Sets the capture gain from the levels that the decoder measures, and prints advice about other faults of the sound.
struct GainKeeper {
    private var mixer: Mixer?
    private var control: CaptureGainControl

    /// - Parameters:
    ///   - mixer: the card's levels; nil for advice alone.
    ///   - console: prints the mixer's notice and its errors.
    init(_ mixer: Mixer?, _ console: Console) {
        self.mixer = mixer
        var gain: CaptureGain?
        if let mixer {
            do throws(LinkError) {
                if let notice = mixer.notice { console.message(notice.description) }
                gain = try mixer.captureGain()
                if gain != nil { try mixer.turnAutomaticGainOff() }
            } catch {
                gain = nil
                console.message("\(error); the levels are not changed")
            }
        }
        control = CaptureGainControl(gain)
    }

    /// Handles an observation of the captured sound.
    /// - Parameters:
    ///   - observation: the observation.
    ///   - time: its time since capture started.
    ///   - console: prints each change of the gain, and advice for the user.
    mutating func receive(_ observation: CaptureObservation, at time: Duration, _ console: Console) {
        for output in control.receive(observation, at: time) {
            switch output {
            case .advice(let advice): console.message(advice.description)
            case .step(let step):
                console.message(step.description)
                do throws(LinkError) {
                    control.gainChanged(to: try mixer?.setCaptureGain(step.decibels))
                } catch {
                    console.message("\(error); the levels are not changed")
                    control.gainChanged(to: nil)
                }
            }
        }
    }

    /// Restores the levels that the card had at first. The keeper does not change them again.
    mutating func restore(_ console: Console) {
        control.gainChanged(to: nil)
        guard let mixer else { return }
        self.mixer = nil
        do throws(LinkError) {
            try mixer.restore()
        } catch {
            console.message(error.description)
        }
    }
}
