//! Whom TLS believes: the system's authorities, and those of `config.toml`.
//!
//! Who is not believed is named by the issuer of its certificate: a person then knows whether that is their company's
//! authority, whose file they can name, or a stranger's.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, OtherError, SignatureScheme};
use rustls_platform_verifier::Verifier;
use x509_cert::der::Decode;

/// Certificates of one file.
#[derive(Clone)]
pub struct Authorities(Vec<CertificateDer<'static>>);

/// A file that holds no certificate in PEM form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCertificate;

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authorities({})", self.0.len())
    }
}

impl Authorities {
    /// Reads the certificates of a PEM file; other things in it are passed over.
    ///
    /// # Errors
    /// [`NoCertificate`]: there is none, or one of them is damaged.
    pub fn from_pem(pem: &[u8]) -> Result<Self, NoCertificate> {
        let found: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|_| NoCertificate)?;
        let whole = found
            .iter()
            .all(|certificate| x509_cert::Certificate::from_der(certificate).is_ok());
        if found.is_empty() || !whole {
            return Err(NoCertificate);
        }
        Ok(Self(found))
    }
}

/// Why a server's certificate is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// No authority that this machine knows has issued it.
    UnknownIssuer,
    /// By this machine's clock it is too old, or not valid yet.
    OutOfDate,
    /// It is for another host.
    OtherHost,
    /// Anything else.
    Other,
}

/// What a handshake that was not believed leaves behind: why, and who issued the certificate. The issuer's name was written
/// by whoever answered.
#[derive(Debug)]
pub(super) struct Unbelieved {
    pub(super) why: Distrust,
    pub(super) issuer: Option<String>,
}

impl fmt::Display for Unbelieved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server's certificate is not believed")
    }
}

impl std::error::Error for Unbelieved {}

/// TLS that believes the system's authorities and these.
pub(super) fn config(authorities: &[Authorities]) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let extra: Vec<_> = authorities.iter().flat_map(|file| file.0.clone()).collect();
    let verifier = if extra.is_empty() {
        Verifier::new(provider.clone())?
    } else {
        Verifier::new_with_extra_roots(extra, provider.clone())?
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Naming(verifier)))
        .with_no_client_auth();
    Ok(config)
}

/// What an error of the handshake says of the server's certificate, if it was about that.
pub(super) fn unbelieved(error: &rustls::Error) -> Option<&Unbelieved> {
    match error {
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(other))) => other.downcast_ref(),
        _ => None,
    }
}

/// The system's verifier. It decides alone; what it refuses gets a name.
#[derive(Debug)]
struct Naming(Verifier);

impl ServerCertVerifier for Naming {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.0
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            .map_err(|error| named(error, intermediates.last().unwrap_or(end_entity)))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// A refusal with the issuer of the last certificate that was shown: the authority that would have to be trusted.
fn named(error: rustls::Error, last: &CertificateDer<'_>) -> rustls::Error {
    let rustls::Error::InvalidCertificate(cause) = error else {
        return error;
    };
    let why = match cause {
        CertificateError::UnknownIssuer => Distrust::UnknownIssuer,
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => Distrust::OutOfDate,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Distrust::OtherHost
        }
        _ => Distrust::Other,
    };
    let unbelieved = Unbelieved {
        why,
        issuer: issuer(last),
    };
    rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(unbelieved))))
}

/// The issuer as the certificate spells it, such as `CN=Example Authority,O=Example`; none where it can't be read.
fn issuer(certificate: &[u8]) -> Option<String> {
    let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
    let name = certificate.tbs_certificate.issuer.to_string();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_whole_certificate_is_refused() {
        let cut = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        for pem in ["", "certificate", cut, "-----BEGIN CERTIFICATE-----\nnot base64"] {
            assert_eq!(
                Authorities::from_pem(pem.as_bytes()).err(),
                Some(NoCertificate),
                "{pem}"
            );
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_issuer() {
        assert_eq!(issuer(b""), None);
        assert_eq!(issuer(&[0x30; 64]), None);
    }
}
