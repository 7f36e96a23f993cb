//! Padded lengths (`crypto.md` section 7): a floor, then the Padmé rule, so that a length says little.

/// Everything up to here looks alike.
const FLOOR: u64 = 512;

/// The padded length of `len` bytes, for any length that a file or a frame can have.
pub(crate) fn padded(len: u64) -> u64 {
    if len <= FLOOR {
        return FLOOR;
    }
    let exponent = len.ilog2();
    let kept_bits = exponent.ilog2() + 1;
    let mask = (1 << (exponent - kept_bits)) - 1;
    (len + mask) & !mask
}
