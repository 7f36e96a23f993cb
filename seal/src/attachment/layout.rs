//! How a file is cut into chunks: a matter of its size alone.

use wire::sizes::{CHUNK, FILE_MAX};

use crate::cipher::TAG_LEN;
use crate::error::Error;
use crate::padding::padded;

/// How a file of some size is padded and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    size: usize,
    padded: usize,
}

impl Layout {
    /// The layout of a file of `size` bytes.
    ///
    /// # Errors
    /// `too_large` above 67,108,864.
    pub fn of(size: u64) -> Result<Self, Error> {
        if size > FILE_MAX {
            return Err(Error::TooLarge);
        }
        let fits = |len: u64| usize::try_from(len).map_err(|_| Error::TooLarge);
        Ok(Self {
            size: fits(size)?,
            padded: fits(padded(size))?,
        })
    }

    /// The number of chunks, 1 to 64.
    pub fn chunks(&self) -> u32 {
        // At most 64 for the largest file.
        u32::try_from(self.padded.div_ceil(CHUNK)).unwrap_or(u32::MAX)
    }

    /// Bytes of the file in a chunk, without padding; none beyond the last chunk.
    pub fn data_len(&self, index: u32) -> Option<usize> {
        let start = self.start(index)?;
        Some(self.size.saturating_sub(start).min(CHUNK))
    }

    /// Bytes of a sealed chunk, 17 to 1,048,592; none beyond the last chunk.
    pub fn sealed_len(&self, index: u32) -> Option<usize> {
        let start = self.start(index)?;
        Some((self.padded - start).min(CHUNK) + TAG_LEN)
    }

    fn start(&self, index: u32) -> Option<usize> {
        let start = usize::try_from(index).ok()?.checked_mul(CHUNK)?;
        (start < self.padded).then_some(start)
    }
}
