import JackdawEMV

extension CardWedge {
    /// The decision that the terminal receives instead of the issuer's.
    func alter(_ decision: IssuerDecision) -> IssuerDecision {
        guard let issuer else { return decision }
        let code = Array((issuer.isApproved ? "00" : "05").utf8)
        guard let responseCode = AuthorisationResponseCode(code) else { return decision }
        return IssuerDecision(
            verdict: issuer.isApproved ? .approved : .declined, authorisationCode: decision.authorisationCode,
            response: HostResponse(
                isApproved: issuer.isApproved, responseCode: responseCode, authenticationData: issuer.data))
    }
}
