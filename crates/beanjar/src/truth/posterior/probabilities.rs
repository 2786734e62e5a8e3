use super::MANY_CLASSES;
use std::ops::Index;

/// The probabilities of one task's classes.
#[derive(Clone, Copy, Debug)]
pub struct Probabilities<'a> {
    classes: usize,
    /// The classes that the values are of, in rising order; none where there is a value for each.
    listed: Option<&'a [u16]>,
    values: &'a [f64],
}

impl<'a> Probabilities<'a> {
    pub(super) fn all(values: &'a [f64]) -> Self {
        Probabilities { classes: values.len(), listed: None, values }
    }

    pub(super) fn listed(classes: usize, listed: &'a [u16], values: &'a [f64]) -> Self {
        Probabilities { classes, listed: Some(listed), values }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(self) -> usize {
        self.classes
    }

    /// Classes and their probabilities, in the order of the classes. Those that are left out have none.
    pub fn possible(self) -> impl ExactSizeIterator<Item = (usize, f64)> + 'a {
        let class = move |at: usize| self.listed.map_or(at, |listed| usize::from(listed[at]));
        self.values.iter().enumerate().map(move |(at, &p)| (class(at), p))
    }

    /// The same without those of very many classes that are impossible, which are nearly all.
    pub fn written(self) -> impl Iterator<Item = (usize, f64)> + 'a {
        let all = self.classes < MANY_CLASSES;
        self.possible().filter(move |(_, p)| all || *p != 0.0)
    }

    /// The probability of each class.
    pub fn iter(self) -> impl Iterator<Item = f64> + 'a {
        let mut possible = self.possible().peekable();
        (0..self.classes).map(move |class| possible.next_if(|next| next.0 == class).map_or(0.0, |(_, p)| p))
    }

    /// The probability of each class.
    #[must_use]
    pub fn to_vec(self) -> Vec<f64> {
        let mut row = vec![0.0; self.classes];
        self.write(&mut row);
        row
    }

    /// The probability of each class, into a row of as many.
    pub(crate) fn write(self, row: &mut [f64]) {
        match self.listed {
            None => row.copy_from_slice(self.values),
            Some(_) => {
                row.fill(0.0);
                self.possible().for_each(|(class, p)| row[class] = p);
            }
        }
    }
}

/// The probability of a class.
///
/// # Panics
/// If there is no such class.
impl Index<usize> for Probabilities<'_> {
    type Output = f64;

    fn index(&self, class: usize) -> &f64 {
        assert!(class < self.classes, "class {class} of {}", self.classes);
        match self.listed {
            None => &self.values[class],
            Some(listed) => match listed.binary_search(&(class as u16)) {
                Ok(at) => &self.values[at],
                Err(_) => &0.0,
            },
        }
    }
}

impl PartialEq<[f64]> for Probabilities<'_> {
    fn eq(&self, other: &[f64]) -> bool {
        self.classes == other.len() && self.iter().zip(other).all(|(one, other)| one == *other)
    }
}

impl<const N: usize> PartialEq<[f64; N]> for Probabilities<'_> {
    fn eq(&self, other: &[f64; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq for Probabilities<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.classes == other.classes && self.iter().eq(other.iter())
    }
}
