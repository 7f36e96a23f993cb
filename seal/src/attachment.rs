//! Attachments in sealed chunks (`crypto.md` section 11).

use wire::transcript::Hash;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::secret::AttachmentKey;

/// How a file of some size is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    size: u64,
    padded: u64,
}

impl Layout {
    /// The layout of a file.
    ///
    /// # Errors
    /// `too_large` above 67,108,864 bytes.
    pub fn of(size: u64) -> Result<Self, Error> {
        todo!()
    }

    /// The number of chunks, 1 to 64... of sealed form each.
    pub fn chunks(&self) -> u32 {
        todo!()
    }

    /// Bytes of the file in a chunk, without padding.
    pub fn data_len(&self, index: u32) -> usize {
        todo!()
    }

    /// Bytes of a sealed chunk.
    pub fn sealed_len(&self, index: u32) -> usize {
        todo!()
    }
}

/// Seals a file chunk by chunk, in order. To resume an upload, start again: the same key gives the same bytes.
#[derive(Debug)]
pub struct Sealer {
    layout: Layout,
}

impl Sealer {
    /// Starts on a file of `size` bytes.
    ///
    /// # Errors
    /// `too_large`.
    pub fn new(key: &AttachmentKey, size: u64) -> Result<Self, Error> {
        todo!()
    }

    /// The layout.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Seals the next chunk from exactly [`Layout::data_len`] bytes of the file.
    ///
    /// # Errors
    /// `attach_size` for another number of bytes, or after the last chunk.
    pub fn seal(&mut self, data: &[u8]) -> Result<Vec<u8>, Error> {
        todo!()
    }

    /// The digest for the message that offers the file.
    ///
    /// # Errors
    /// `attach_size` before the last chunk.
    pub fn finish(self) -> Result<Hash, Error> {
        todo!()
    }
}

/// Opens a file chunk by chunk, in order. The file gets its final name only after [`Opener::finish`].
#[derive(Debug)]
pub struct Opener {
    layout: Layout,
}

impl Opener {
    /// Starts on a file as its message describes it.
    ///
    /// # Errors
    /// `too_large`.
    pub fn new(key: &AttachmentKey, size: u64, digest: Hash) -> Result<Self, Error> {
        todo!()
    }

    /// The layout: `chunks()` and `sealed_len()` are what must be stored, else `attach_size`.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Opens the next chunk and gives the file's bytes in it, without padding.
    ///
    /// # Errors
    /// `attach_size`, `attach_auth`.
    pub fn open(&mut self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        todo!()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// `attach_size` before the last chunk; `bad_padding`; `attach_digest`.
    pub fn finish(self) -> Result<(), Error> {
        todo!()
    }
}
