//! Makes a typed request of a tree: the request types' own serde rules, plus that an object is an object.

use serde::de::value::{CowStrDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::node::Node;
use super::refusal::JsonRefusal;

impl<'de> IntoDeserializer<'de, JsonRefusal> for Node<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = JsonRefusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonRefusal> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(std::borrow::Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Self::Text(std::borrow::Cow::Owned(text)) => visitor.visit_string(text),
            Self::List(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter())),
            Self::Object(fields) => visitor.visit_map(Fields::of_any(fields)),
        }
    }

    /// serde's derived types take an array of their fields as well; a request has one spelling.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonRefusal> {
        match self {
            Self::Object(fields) => visitor.visit_map(Fields {
                known,
                ..Fields::of_any(fields)
            }),
            Self::Null => Err(de::Error::invalid_type(de::Unexpected::Unit, &"an object")),
            _ => Err(de::Error::custom("it must be an object")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonRefusal> {
        match self {
            Self::Text(word) => visitor.visit_enum(CowStrDeserializer::<JsonRefusal>::new(word)),
            Self::Null => Err(de::Error::invalid_type(de::Unexpected::Unit, &"a word")),
            _ => Err(de::Error::custom("it must be a word")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonRefusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonRefusal> {
        match self {
            Self::Null => Err(de::Error::invalid_type(de::Unexpected::Unit, &"a value")),
            value => visitor.visit_some(value),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

/// The fields of one object, and the names among them that the type knows.
struct Fields<'de> {
    rest: std::vec::IntoIter<(std::borrow::Cow<'de, str>, Node<'de>)>,
    known: &'static [&'static str],
    value: Option<(Option<&'static str>, Node<'de>)>,
}

impl<'de> Fields<'de> {
    fn of_any(fields: Vec<(std::borrow::Cow<'de, str>, Node<'de>)>) -> Self {
        Self {
            rest: fields.into_iter(),
            known: &[],
            value: None,
        }
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = JsonRefusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsonRefusal> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        let known = self.known.iter().copied().find(|known| *known == name);
        self.value = Some((known, value));
        seed.deserialize(CowStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsonRefusal> {
        let Some((name, value)) = self.value.take() else {
            return Err(de::Error::custom("a value without a name"));
        };
        seed.deserialize(value).map_err(|refusal| match name {
            Some(name) => JsonRefusal::inside(refusal, name),
            None => refusal,
        })
    }
}
