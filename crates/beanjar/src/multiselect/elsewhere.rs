//! Judgments in the partitions of a distributed engine, as sums over groups of objects.
//!
//! A [`MomentsPass`] says what to sum. Where the judgments are, [`GroupMoments`] observes them object by object, and hands
//! back the sums of each group as bytes. [`Elsewhere`] puts them together: moments are then of all objects, folds and
//! resamplings are of groups, and only what needs objects themselves, such as the scores of held-out ones, is of a sample.

use super::moments::Sums;
use super::{Classes, CodedLabels};
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{Judgments, LARGEST, ObjectJudgments};
use crate::random::key;
use crate::reliability::first_values;
use crate::{Column, Error, Result};
use std::collections::HashMap;

/// What to sum over judgments that are elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct MomentsPass {
    attributes: Vec<String>,
    /// Taken off judgments before they are squared.
    shifts: Vec<f64>,
    label: Coding,
}

/// How the text of a label becomes numbers.
#[derive(Clone, Debug, PartialEq)]
enum Coding {
    /// It is one, less this.
    Number(f64),
    Classes(Classes),
}

/// Bytes that all groups may have together.
const MOST_BYTES: usize = 64 << 20;
/// Groups: more would add nothing to ten folds, and fewer than a few cannot be held out.
const GROUPS: (usize, usize) = (8, 256);
/// Attributes whose sums a process can hold along with others.
const MOST_ATTRIBUTES: usize = 1000;

impl MomentsPass {
    /// By a sample of the objects with their labels. `classes` are the labels of all objects that have judgments, and how many
    /// have each; none if labels are numbers. An error if there are too many attributes for sums of their products.
    pub fn new(sample: &Judgments, label: &Column, classes: Option<&[(String, u64)]>) -> Result<Self> {
        let attributes: Vec<String> = sample.attributes.iter().map(str::to_owned).collect();
        if attributes.len() > MOST_ATTRIBUTES {
            let value = attributes.len().to_string();
            return Err(Error::OutOfRange {
                name: "the number of attributes",
                value,
                range: "1,000 at most elsewhere",
            });
        }
        let label = match classes {
            Some(classes) => Coding::Classes(Classes::counted(classes)?),
            None => {
                let coded = CodedLabels::of(label, &sample.objects, false)?;
                let known: Vec<f64> = coded.values.into_iter().filter(|value| value.is_finite()).collect();
                Coding::Number(known.iter().sum::<f64>() / known.len() as f64)
            }
        };
        Ok(MomentsPass { attributes, shifts: first_values(sample), label })
    }

    /// How many groups the objects are to be put into, at random.
    #[must_use]
    pub fn groups(&self) -> usize {
        let bytes = 8 * 3 * self.attributes.len().pow(2).max(1);
        let most = (MOST_BYTES / bytes).clamp(GROUPS.0, GROUPS.1);
        1 << most.ilog2()
    }

    fn targets(&self) -> usize {
        match &self.label {
            Coding::Number(_) => 1,
            Coding::Classes(classes) => classes.targets(),
        }
    }

    /// What is taken off the numbers of a label.
    fn middle(&self) -> Vec<f64> {
        match &self.label {
            Coding::Number(middle) => vec![*middle],
            Coding::Classes(classes) if classes.targets() == 1 => vec![0.0],
            Coding::Classes(classes) => classes.shares.clone(),
        }
    }

    /// The numbers of a label, less the middle. An error if it is not what the others are.
    fn coded(&self, label: &str) -> Result<Vec<f64>> {
        let unclear = |classes| Error::LabelsUnclear { classes, example: label.chars().take(40).collect() };
        let mut numbers = match &self.label {
            Coding::Number(_) => match label.trim().parse() {
                Ok(number) if f64::abs(number) <= LARGEST => vec![number],
                _ => return Err(unclear(0)),
            },
            Coding::Classes(classes) => {
                let known = classes.names.binary_search_by(|name| name.as_str().cmp(label));
                classes.code(known.map_err(|_| unclear(classes.names.len()))?)
            }
        };
        numbers.iter_mut().zip(self.middle()).for_each(|(number, middle)| *number -= middle);
        Ok(numbers)
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        self.write(&mut bytes);
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        MomentsPass::read(&mut Reader(bytes))
    }

    fn write(&self, bytes: &mut Writer) {
        bytes.number(self.attributes.len() as u64);
        self.attributes.iter().for_each(|name| bytes.text(name));
        bytes.floats(&self.shifts);
        match &self.label {
            Coding::Number(middle) => {
                bytes.number(0);
                bytes.float(*middle);
            }
            Coding::Classes(classes) => {
                bytes.number(classes.names.len() as u64);
                classes.names.iter().for_each(|name| bytes.text(name));
                bytes.floats(&classes.shares);
            }
        }
    }

    fn read(bytes: &mut Reader<'_>) -> Result<Self> {
        let names = |bytes: &mut Reader<'_>, count: u64| {
            (0..count).map(|_| bytes.text().map(str::to_owned)).collect::<Result<Vec<_>>>()
        };
        let count = bytes.number()?;
        let attributes = names(bytes, count)?;
        let shifts = bytes.floats()?;
        let label = match bytes.number()? {
            0 => Coding::Number(bytes.float()?),
            count => {
                let (names, shares) = (names(bytes, count)?, bytes.floats()?);
                if names.len() != shares.len() || names.len() < 2 {
                    return Err(broken());
                }
                Coding::Classes(Classes { names, shares })
            }
        };
        if shifts.len() != attributes.len() {
            return Err(broken());
        }
        Ok(MomentsPass { attributes, shifts, label })
    }
}

/// One judgment, with the label of its object.
#[derive(Clone, Copy, Debug)]
pub struct GroupedJudgment<'a> {
    /// The group that its object is in.
    pub group: u32,
    /// The object.
    pub object: &'a str,
    /// The attribute. One that the sample has not is left out.
    pub attribute: &'a str,
    /// The value.
    pub value: f64,
    /// The label of the object, if it has one.
    pub label: Option<&'a str>,
}

/// The sums of groups, on their way. Judgments of an object come one after the other, and so do objects of a group.
#[derive(Clone, Debug)]
pub struct GroupMoments {
    pass: MomentsPass,
    numbers: HashMap<String, u32>,
    /// The object at hand: its id and group, its judgments, its label.
    object: String,
    rows: Vec<(u32, f64)>,
    label: Option<Vec<f64>>,
    group: Option<u32>,
    sums: Sums,
    unlabelled: u64,
    done: Vec<(u32, Vec<u8>)>,
}

impl GroupMoments {
    /// Nothing yet.
    #[must_use]
    pub fn new(pass: MomentsPass) -> Self {
        let numbers = (0..).zip(&pass.attributes).map(|(number, name)| (name.clone(), number)).collect();
        let sums = Sums::new(&pass.shifts, pass.targets());
        GroupMoments {
            pass,
            numbers,
            object: String::new(),
            rows: Vec::new(),
            label: None,
            group: None,
            sums,
            unlabelled: 0,
            done: Vec::new(),
        }
    }

    /// Takes a judgment. An error if its value or its label is not one that can be worked with.
    pub fn push(&mut self, judgment: GroupedJudgment<'_>) -> Result<()> {
        let GroupedJudgment { group, object, attribute, value, label } = judgment;
        if self.group != Some(group) || self.object != object {
            self.close_object();
            if self.group != Some(group) {
                self.close_group();
                self.group = Some(group);
            }
            object.clone_into(&mut self.object);
            self.label = label.map(|label| self.pass.coded(label)).transpose()?;
        }
        if value.is_nan() || value.abs() > LARGEST {
            return Err(Error::OutOfScale);
        }
        if let Some(&number) = self.numbers.get(attribute) {
            self.rows.push((number, value));
        }
        Ok(())
    }

    fn close_object(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        // In an order that does not depend on that of the rows.
        self.rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (attributes, values): (Vec<u32>, Vec<f64>) = self.rows.drain(..).unzip();
        let object = ObjectJudgments { object: 0, attributes: &attributes, workers: &[], values: &values };
        match &self.label {
            Some(label) => self.sums.observe(object, label, None),
            None => self.unlabelled += 1,
        }
    }

    fn close_group(&mut self) {
        let Some(group) = self.group.take() else { return };
        let mut sums = std::mem::replace(&mut self.sums, Sums::new(&self.pass.shifts, self.pass.targets()));
        sums.flush();
        let mut bytes = Writer::default();
        bytes.number(std::mem::take(&mut self.unlabelled));
        sums.write(&mut bytes);
        self.done.push((group, bytes.finish()));
    }

    /// The sums of the groups that were seen.
    #[must_use]
    pub fn finish(mut self) -> Vec<(u32, Vec<u8>)> {
        self.close_object();
        self.close_group();
        self.done
    }
}

/// Sums over all objects, by group, beside which a sample of the objects is at hand.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    pass: MomentsPass,
    groups: Vec<Sums>,
    group_of: HashMap<String, u32>,
    unlabelled: usize,
    all: Sums,
}

impl Elsewhere {
    /// All that [`new`](Self::new) takes, as bytes.
    #[must_use]
    pub fn bytes_of(pass: &MomentsPass, sampled: &[(String, u32)], sums: &[(u32, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Writer::default();
        pass.write(&mut bytes);
        bytes.number(sampled.len() as u64);
        for (object, group) in sampled {
            bytes.text(object);
            bytes.number(u64::from(*group));
        }
        bytes.number(sums.len() as u64);
        for (group, sum) in sums {
            bytes.number(u64::from(*group));
            bytes.bytes(sum);
        }
        bytes.finish()
    }

    /// From these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut bytes = Reader(bytes);
        let group = |bytes: &mut Reader<'_>| u32::try_from(bytes.number()?).map_err(|_| broken());
        let pass = MomentsPass::read(&mut bytes)?;
        let sampled = (0..bytes.number()?).map(|_| Ok((bytes.text()?.to_owned(), group(&mut bytes)?)));
        let sampled = sampled.collect::<Result<Vec<_>>>()?;
        let sums = (0..bytes.number()?).map(|_| Ok((group(&mut bytes)?, bytes.bytes()?.to_vec())));
        Elsewhere::new(pass, sampled, &sums.collect::<Result<Vec<_>>>()?)
    }

    /// The sums of groups, of each of which there is one, and the groups of the sampled objects.
    pub fn new(pass: MomentsPass, sampled: Vec<(String, u32)>, sums: &[(u32, Vec<u8>)]) -> Result<Self> {
        let (d, targets) = (pass.attributes.len(), pass.targets());
        let mut groups = vec![Sums::new(&pass.shifts, targets); pass.groups()];
        let mut unlabelled = 0;
        for (group, bytes) in sums {
            let mut bytes = Reader(bytes);
            unlabelled += bytes.count()?;
            *groups.get_mut(*group as usize).ok_or_else(broken)? = Sums::read(&mut bytes, d, targets)?;
        }
        if sampled.iter().any(|(_, group)| *group as usize >= groups.len()) {
            return Err(broken());
        }
        let mut all = Sums::new(&pass.shifts, targets);
        groups.iter().for_each(|group| all.merge(group.clone()));
        Ok(Elsewhere { pass, groups, group_of: sampled.into_iter().collect(), unlabelled, all })
    }

    /// The labels of the sampled objects, coded as elsewhere. An error if the sample has other attributes.
    pub(super) fn coded(&self, sample: &Judgments, label: &Column) -> Result<CodedLabels> {
        if !sample.attributes.iter().eq(self.pass.attributes.iter().map(String::as_str)) {
            return Err(broken());
        }
        let (targets, middle) = (self.pass.targets(), self.pass.middle());
        let mut values = Vec::with_capacity(sample.objects.len() * targets);
        for text in label.matched(&sample.objects, "object")? {
            match text.filter(|text| !text.is_empty()) {
                Some(text) => {
                    values.extend(self.pass.coded(text)?.iter().zip(&middle).map(|(off, middle)| off + middle));
                }
                None => values.resize(values.len() + targets, f64::NAN),
            }
        }
        let classes = match &self.pass.label {
            Coding::Number(_) => None,
            Coding::Classes(classes) => Some(classes.clone()),
        };
        Ok(CodedLabels { values, targets, classes, missing: self.unlabelled })
    }

    /// The sum over groups, each counted `times(group)` times.
    pub(super) fn merged(&self, times: &impl Fn(usize) -> u32) -> Sums {
        let mut sum = Sums::new(&self.pass.shifts, self.pass.targets());
        for (group, sums) in self.groups.iter().enumerate() {
            (0..times(group)).for_each(|_| sum.merge(sums.clone()));
        }
        sum
    }

    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The group of a sampled object; one that nobody named is in the first.
    pub(super) fn group_of(&self, object: &str) -> usize {
        self.group_of.get(object).map_or(0, |&group| group as usize)
    }

    /// How many objects have a label.
    pub(super) fn labelled(&self) -> usize {
        self.all.objects() as usize
    }

    /// The groups with labelled objects, in an order that is random.
    pub(super) fn shuffled(&self, seed: u64, round: u64) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.groups.len()).filter(|&group| self.groups[group].objects() > 0.0).collect();
        order.sort_unstable_by_key(|&group| (key(key(seed, round), group as u64), group));
        order
    }

    /// The mean of each target of all labels. An error if there are fewer than two, or they are all one.
    pub(super) fn label_means(&self) -> Result<Vec<f64>> {
        let (labelled, off) = (self.labelled(), self.all.label_means());
        let means: Vec<f64> = off.iter().zip(self.pass.middle()).map(|(off, middle)| off + middle).collect();
        if labelled < 2 {
            return Err(Error::FewLabels(labelled));
        }
        match self.label_variance() > 0.0 {
            true => Ok(means),
            false => Err(Error::ConstantLabel(means[0])),
        }
    }

    /// The mean square of labels about their mean, summed over targets.
    pub(super) fn label_variance(&self) -> f64 {
        self.all.label_variance_about(&self.all.label_means())
    }
}

#[cfg(test)]
mod tests;
