use super::*;
use std::path::{Path, PathBuf};

/// Files that NumPy 2.4 and SciPy saved.
fn saved(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy").join(name)
}

fn matrix(name: &str) -> Vec<Vec<f64>> {
    let arrays = read_arrays(&saved(name).into()).unwrap();
    let &[rows, columns] = arrays[0].shape() else { panic!("{name}") };
    (0..rows).map(|row| (0..columns).map(|column| arrays[0].number(row, column)).collect()).collect()
}

#[test]
fn numbers_are_as_numpy_saved_them() {
    let plain = [vec![1.5, 0.0, -2.0], vec![0.0, 0.25, 3.0]];
    for name in ["f4.npy", "f8_fortran.npy", "f2.npy", "packed.npz", "plain.npz"] {
        assert_eq!(matrix(name), plain, "{name}");
    }
    assert_eq!(matrix("i2_big.npy"), [[1.0, 0.0, -300.0], [0.0, 7.0, 32767.0]]);
    assert_eq!(matrix("u1.npy"), [[1.0, 0.0, 255.0], [0.0, 7.0, 3.0]]);
    assert_eq!(matrix("bool.npy"), [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
    let texts = |name: &str| {
        let arrays = read_arrays(&saved(name).into()).unwrap();
        let array = arrays.into_iter().next().unwrap();
        (0..array.len()).map(|at| array.text(at)).collect::<Vec<_>>()
    };
    assert_eq!(
        (texts("ids.npy"), texts("numbers.npy")),
        (vec!["ü1".into(), "long id".into()], vec!["7".into(), "-9".into()])
    );
}

#[test]
fn what_is_no_array_of_numbers_is_refused_in_a_sentence() {
    for (name, said) in [("objects.npy", "Python objects"), ("records.npy", "several fields")] {
        let error = read_arrays(&saved(name).into()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(said), "{error}");
    }
}

#[test]
fn no_cut_and_no_changed_byte_is_more_than_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["f4.npy", "ids.npy", "plain.npz", "packed.npz", "csr.npz"] {
        let bytes = std::fs::read(saved(name)).unwrap();
        let path = folder.path().join(name);
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read_arrays(&(&path).into()).is_err(), "{name} {cut}");
        }
        for at in 0..bytes.len() {
            for byte in [0, 255, bytes[at] ^ 1, b'9'] {
                let mut other = bytes.clone();
                other[at] = byte;
                std::fs::write(&path, &other).unwrap();
                if let Ok(arrays) = read_arrays(&(&path).into()) {
                    let values: usize = arrays.iter().map(NumpyArray::len).sum();
                    assert!(values <= bytes.len());
                    arrays.iter().for_each(|array| (0..array.len()).for_each(|at| drop(array.text(at))));
                }
            }
        }
    }
}

#[test]
fn a_changed_number_in_an_archive_is_found_by_its_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.npz");
    let mut bytes = std::fs::read(saved("plain.npz")).unwrap();
    let number = 1.5f32.to_le_bytes();
    let at = bytes.windows(4).position(|four| four == number).expect("the first number, not packed");
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let error = read_arrays(&(&path).into()).unwrap_err().to_string();
    assert!(error.contains("changed.npz") && error.contains("damaged"), "{error}");
}
