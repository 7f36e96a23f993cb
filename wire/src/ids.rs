//! Ids as types of their own: 16 bytes, shown as lower-case hyphenated UUIDs (`crypto.md` section 2).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::encoding::BadEncoding;

/// Length of an id's text form.
pub const UUID_TEXT_LEN: usize = 36;

const fn nibble(symbol: u8) -> Option<u8> {
    match symbol {
        b'0'..=b'9' => Some(symbol - b'0'),
        b'a'..=b'f' => Some(symbol - b'a' + 10),
        _ => None,
    }
}

/// Where each byte's two digits stand.
const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// Reads the 36-character lower-case form and nothing else.
fn parse_uuid(text: &str) -> Result<[u8; 16], BadEncoding> {
    let symbols: &[u8; UUID_TEXT_LEN] = text.as_bytes().try_into().map_err(|_| BadEncoding)?;
    if [symbols[8], symbols[13], symbols[18], symbols[23]] != *b"----" {
        return Err(BadEncoding);
    }
    let mut bytes = [0; 16];
    for (byte, place) in bytes.iter_mut().zip(PLACES) {
        let Some(&[high, low]) = symbols.get(place..place + 2) else {
            return Err(BadEncoding);
        };
        *byte = nibble(high).ok_or(BadEncoding)? << 4 | nibble(low).ok_or(BadEncoding)?;
    }
    Ok(bytes)
}

/// The digits of four bytes, all eight at once.
fn digits(bytes: [u8; 4]) -> [u8; 8] {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut spread = u64::from(u32::from_be_bytes(bytes));
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    spread = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (spread + 6 * EACH) >> 4 & EACH;
    (spread + u64::from(b'0') * EACH + u64::from(b'a' - b'9' - 1) * letters).to_be_bytes()
}

/// The text form, on the stack: a page of the transcript has two ids for each record.
struct UuidText([u8; UUID_TEXT_LEN]);

impl UuidText {
    fn of(bytes: &[u8; 16]) -> Self {
        let [
            b0,
            b1,
            b2,
            b3,
            b4,
            b5,
            b6,
            b7,
            b8,
            b9,
            b10,
            b11,
            b12,
            b13,
            b14,
            b15,
        ] = *bytes;
        let mut text = [b'-'; UUID_TEXT_LEN];
        let (head, rest) = (digits([b0, b1, b2, b3]), digits([b4, b5, b6, b7]));
        let (node, tail) = (digits([b8, b9, b10, b11]), digits([b12, b13, b14, b15]));
        text[..8].copy_from_slice(&head);
        text[9..13].copy_from_slice(&rest[..4]);
        text[14..18].copy_from_slice(&rest[4..]);
        text[19..23].copy_from_slice(&node[..4]);
        text[24..28].copy_from_slice(&node[4..]);
        text[28..].copy_from_slice(&tail);
        Self(text)
    }

    fn as_str(&self) -> &str {
        // It is all ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// An id from its raw bytes.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The raw bytes.
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(UuidText::of(&self.0).as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(UuidText::of(&self.0).as_str())
            }
        }

        impl FromStr for $name {
            type Err = BadEncoding;

            fn from_str(text: &str) -> Result<Self, BadEncoding> {
                parse_uuid(text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(UuidText::of(&self.0).as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
                text.parse().map_err(|_| de::Error::custom("not a lower-case hyphenated UUID"))
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))
                    .build()
                    .into()
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {}
    };
}

id! {
    /// One session; made by the client that creates it.
    SessionId
}
id! {
    /// One participant: a hash of its two public keys (`crypto.md` section 6).
    ParticipantId
}
id! {
    /// One message; made by its author, so that a retry is the same message.
    MessageId
}
id! {
    /// One proposal to go to auto; made by the proposer.
    ProposalId
}
id! {
    /// One attachment; made by its uploader.
    AttachmentId
}
id! {
    /// One organisation of a plane.
    OrgId
}
id! {
    /// One user of an organisation.
    UserId
}
id! {
    /// One machine token: names it without giving it away.
    MachineTokenId
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_id_is_shown_in_the_form_of_rfc_9562() {
        // The example of its section A.1, and what its section 5.9 and 5.10 call nil and max.
        for (text, bytes) in [
            (
                "c232ab00-9414-11ec-b3c8-9f6bdeced846",
                0xc232ab00_9414_11ec_b3c8_9f6bdeced846_u128,
            ),
            ("00000000-0000-0000-0000-000000000000", 0),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", u128::MAX),
        ] {
            let id = SessionId::from_bytes(bytes.to_be_bytes());
            assert_eq!(id.to_string(), text);
            assert_eq!(format!("{id:?}"), text);
            assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{text}\""));
            assert_eq!(text.parse(), Ok(id));
        }
    }

    #[test]
    fn another_spelling_is_no_id() {
        let good = "c232ab00-9414-11ec-b3c8-9f6bdeced846";
        assert!(good.parse::<SessionId>().is_ok());
        for place in 0..good.len() {
            for wrong in ["-", "g", "A", "0", "/", ":", "`", "\u{e9}"] {
                let mut text = good.to_owned();
                text.replace_range(place..=place, wrong);
                let lower = wrong == "0" && !good[place..].starts_with('-')
                    || wrong == "-" && good[place..].starts_with('-');
                assert_eq!(text.parse::<SessionId>().is_ok(), lower, "{text}");
            }
        }
        for text in ["", &good[1..], &format!("{good}0"), &good.replace('-', "")] {
            assert!(text.parse::<SessionId>().is_err(), "{text}");
        }
    }
}
