//! A record as the verifier takes it: what the transcript hash covers, and nothing else.

use crate::error::Error;

/// A record before it is believed. Fields may hold anything.
#[derive(Debug, Clone, Copy)]
pub struct RawRecord<'a> {
    /// Its number.
    pub seq: u64,
    /// The epoch it was appended in.
    pub epoch: u32,
    /// Its class byte.
    pub class: u8,
    /// Its sender; zeros where there is none.
    pub sender: [u8; 16],
    /// Its message id; zeros where there is none.
    pub item: [u8; 16],
    /// Its body.
    pub body: &'a [u8],
}

impl<'a> RawRecord<'a> {
    /// From a record as the plane serves it.
    ///
    /// # Errors
    /// `bad_record` when it lacks a field of its class or has one of another.
    pub fn from_wire(record: &'a wire::api::Record) -> Result<Self, Error> {
        todo!()
    }
}
