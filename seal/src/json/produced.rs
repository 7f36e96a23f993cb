//! The rules for producers: no equal names, bounded nesting.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{NESTING_MAX, Object, object};
use crate::error::Error;

/// As [`object`], and keeps the rules for producers as well: no equal names, nesting up to [`NESTING_MAX`].
///
/// # Errors
/// `bad_content`.
pub fn produced(bytes: &[u8]) -> Result<Object, Error> {
    let mut text = serde_json::Deserializer::from_slice(bytes);
    Rules {
        depth_left: NESTING_MAX,
    }
    .deserialize(&mut text)
    .map_err(|_| Error::BadContent)?;
    object(bytes)
}

/// Walks one value and keeps nothing of it.
#[derive(Clone, Copy)]
struct Rules {
    depth_left: usize,
}

impl Rules {
    fn inside<E: serde::de::Error>(&self) -> Result<Self, E> {
        let depth_left = self
            .depth_left
            .checked_sub(1)
            .ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Self { depth_left })
    }
}

impl<'de> DeserializeSeed<'de> for Rules {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Rules {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        while seq.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name) {
                return Err(A::Error::custom("equal names"));
            }
            map.next_value_seed(inside)?;
        }
        Ok(())
    }
}
