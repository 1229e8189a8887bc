import JackdawALSA
import JackdawTransport

/// Sets the capture gain by what the decoder hears, and says in plain words what else is wrong with the sound.
struct GainKeeper {
    private var mixer: Mixer?
    private var control: CaptureGainControl

    /// - Parameters:
    ///   - mixer: the card's levels; nil to give advice alone.
    ///   - console: is told what was found there.
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
                console.message("\(error); the levels stay as they are")
            }
        }
        control = CaptureGainControl(gain)
    }

    /// Takes what was heard.
    /// - Parameters:
    ///   - observation: what it was.
    ///   - time: when, since listening began.
    ///   - console: is told what is done, and what a person can do.
    mutating func receive(_ observation: CaptureObservation, at time: Duration, _ console: Console) {
        for output in control.receive(observation, at: time) {
            switch output {
            case .advice(let advice): console.message(advice.description)
            case .step(let step):
                console.message(step.description)
                do throws(LinkError) {
                    control.gainChanged(to: try mixer?.setCaptureGain(step.decibels))
                } catch {
                    console.message("\(error); the levels stay as they are")
                    control.gainChanged(to: nil)
                }
            }
        }
    }

    /// Brings the levels back to where they were; they are left alone from now on.
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
