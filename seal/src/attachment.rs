//! Attachments in sealed chunks (`crypto.md` section 11): STREAM's nonces, safe because a key serves one file, once.

mod layout;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use wire::transcript::Hash;
use zeroize::Zeroizing;

use crate::cipher::{TAG_LEN, xopen, xseal};
use crate::error::Error;
use crate::random::NONCE_LEN;
use crate::secret::AttachmentKey;

pub use layout::Layout;

/// Seals a file chunk by chunk, in order. To resume an upload, start again: the same key gives the same bytes.
#[derive(Debug)]
pub struct Sealer {
    key: AttachmentKey,
    layout: Layout,
    next: u32,
    digest: Sha256,
}

impl Sealer {
    /// Starts on a file of `size` bytes.
    ///
    /// # Errors
    /// `too_large` above 67,108,864.
    pub fn new(key: &AttachmentKey, size: u64) -> Result<Self, Error> {
        let key = AttachmentKey::from_bytes(*key.expose());
        Ok(Self {
            key,
            layout: Layout::of(size)?,
            next: 0,
            digest: Sha256::new(),
        })
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
        let sealed_len = self.layout.sealed_len(self.next).ok_or(Error::AttachSize)?;
        if self.layout.data_len(self.next) != Some(data.len()) {
            return Err(Error::AttachSize);
        }
        let mut chunk = Vec::with_capacity(sealed_len);
        chunk.extend_from_slice(data);
        chunk.resize(sealed_len - TAG_LEN, 0);
        let tag = xseal(
            self.key.expose(),
            &nonce(&self.layout, self.next),
            &[],
            &mut chunk,
        );
        chunk.extend_from_slice(&tag);
        self.digest.update(&chunk);
        self.next += 1;
        Ok(chunk)
    }

    /// The digest for the message that offers the file.
    ///
    /// # Errors
    /// `attach_size` before the last chunk.
    pub fn finish(self) -> Result<Hash, Error> {
        if self.next == self.layout.chunks() {
            Ok(self.digest.finalize().into())
        } else {
            Err(Error::AttachSize)
        }
    }
}

/// Opens a file chunk by chunk, in order. The file gets its final name only after [`Opener::finish`].
#[derive(Debug)]
pub struct Opener {
    key: AttachmentKey,
    layout: Layout,
    next: u32,
    digest: Sha256,
    expected: Hash,
    padding_is_zero: bool,
}

impl Opener {
    /// Starts on a file as its message describes it.
    ///
    /// # Errors
    /// `too_large` above 67,108,864.
    pub fn new(key: &AttachmentKey, size: u64, digest: Hash) -> Result<Self, Error> {
        Ok(Self {
            key: AttachmentKey::from_bytes(*key.expose()),
            layout: Layout::of(size)?,
            next: 0,
            digest: Sha256::new(),
            expected: digest,
            padding_is_zero: true,
        })
    }

    /// The layout. Compare with it first what the plane has: another number of chunks is `attach_size`.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Opens the next chunk and gives the file's bytes in it, without padding.
    ///
    /// # Errors
    /// `attach_size`, also after the last chunk; `attach_auth`.
    pub fn open(&mut self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let data_len = self.layout.data_len(self.next).ok_or(Error::AttachSize)?;
        if self.layout.sealed_len(self.next) != Some(sealed.len()) {
            return Err(Error::AttachSize);
        }
        let (ciphertext, tag) = sealed.split_last_chunk::<TAG_LEN>().ok_or(Error::AttachSize)?;
        let mut chunk = Zeroizing::new(ciphertext.to_vec());
        xopen(
            self.key.expose(),
            &nonce(&self.layout, self.next),
            &[],
            &mut chunk,
            tag,
        )
        .map_err(|_| Error::AttachAuth)?;
        self.padding_is_zero &= chunk
            .get(data_len..)
            .is_some_and(|padding| padding.iter().all(|byte| *byte == 0));
        chunk.truncate(data_len);
        self.digest.update(sealed);
        self.next += 1;
        Ok(chunk)
    }

    /// Ends the file. Padding and digest are told only here, after all chunks, so that every reader of a damaged file
    /// names the same fault.
    ///
    /// # Errors
    /// `attach_size` before the last chunk; `bad_padding`; `attach_digest`.
    pub fn finish(self) -> Result<(), Error> {
        if self.next != self.layout.chunks() {
            return Err(Error::AttachSize);
        }
        if !self.padding_is_zero {
            return Err(Error::BadPadding);
        }
        let digest: Hash = self.digest.finalize().into();
        if bool::from(digest.ct_eq(&self.expected)) {
            Ok(())
        } else {
            Err(Error::AttachDigest)
        }
    }
}

/// `0^19 ‖ u32(index) ‖ last`
fn nonce(layout: &Layout, index: u32) -> [u8; NONCE_LEN] {
    let last = index + 1 == layout.chunks();
    let [a, b, c, d] = index.to_be_bytes();
    let mut nonce = [0; NONCE_LEN];
    let (_, tail) = nonce.split_at_mut(NONCE_LEN - 5);
    tail.copy_from_slice(&[a, b, c, d, u8::from(last)]);
    nonce
}
