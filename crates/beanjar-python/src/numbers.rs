//! Arrays of numbers, which come from NumPy and go there as bytes.

/// 32-bit integers in the machine's own order.
pub(crate) fn integers(bytes: &[u8]) -> impl Iterator<Item = i32> + '_ {
    bytes.chunks_exact(4).map(|bytes| i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// 64-bit floating-point numbers.
pub(crate) fn floats(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.chunks_exact(8).map(|bytes| {
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        f64::from_ne_bytes(number)
    })
}
