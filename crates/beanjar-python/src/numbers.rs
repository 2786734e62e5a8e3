//! Arrays of numbers, which come from NumPy as they lie in memory, or as bytes, and go there as bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

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

/// A number of which NumPy has arrays.
pub(crate) trait Number: Copy {
    /// Its type in NumPy's words, without the order of bytes.
    const TYPE: &'static str;
    type Bytes: AsRef<[u8]>;
    fn bytes(self) -> Self::Bytes;
}

impl Number for i32 {
    const TYPE: &'static str = "i4";
    type Bytes = [u8; 4];
    fn bytes(self) -> [u8; 4] {
        self.to_ne_bytes()
    }
}

impl Number for i64 {
    const TYPE: &'static str = "i8";
    type Bytes = [u8; 8];
    fn bytes(self) -> [u8; 8] {
        self.to_ne_bytes()
    }
}

impl Number for f64 {
    const TYPE: &'static str = "f8";
    type Bytes = [u8; 8];
    fn bytes(self) -> [u8; 8] {
        self.to_ne_bytes()
    }
}

/// The numbers of an array of one dimension, where NumPy has them. They are read while the interpreter is held, so that
/// nobody writes to them meanwhile.
pub(crate) fn view<'a, T: Number>(array: &'a Bound<'_, PyAny>) -> PyResult<&'a [T]> {
    let interface = array.getattr("__array_interface__")?;
    let interface = interface.cast::<PyDict>()?;
    let part = |name: &str| {
        interface.get_item(name)?.ok_or_else(|| PyTypeError::new_err(format!("an array without '{name}'")))
    };
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    let (length,): (usize,) = part("shape")?.extract()?;
    let whole = interface.get_item("strides")?.is_none_or(|strides| strides.is_none());
    if part("typestr")?.extract::<String>()? != format!("{order}{}", T::TYPE) || !whole {
        return Err(PyTypeError::new_err(format!("an array of {} in one piece is needed", T::TYPE)));
    }
    if length == 0 {
        return Ok(&[]);
    }
    let (address, _): (usize, bool) = part("data")?.extract()?;
    // Numbers that were made from foreign bytes may lie anywhere.
    if !address.is_multiple_of(align_of::<T>()) {
        return Err(PyTypeError::new_err("an array of numbers that are aligned is needed"));
    }
    // SAFETY: NumPy says that this many numbers of this type lie there in one piece, aligned as was just checked; they live as
    // long as the array, which is borrowed.
    Ok(unsafe { std::slice::from_raw_parts(address as *const T, length) })
}

/// Numbers for NumPy, which reads and writes them where they are.
pub(crate) fn array<'py, T: Number>(py: Python<'py>, numbers: &[T]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, size_of_val(numbers), |bytes| {
        for (bytes, number) in bytes.chunks_exact_mut(size_of::<T>()).zip(numbers) {
            bytes.copy_from_slice(number.bytes().as_ref());
        }
        Ok(())
    })
}
