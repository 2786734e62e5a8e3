//! The judgments still to collect for a selection.

use super::Selection;
use crate::warning::money;
use crate::{Context, Dictionary, Judgments, Result, Warning, counted};

/// Lists the judgments still to collect for a selection, object by object.
///
/// An object that has h judgments of an attribute, of which the selection wants r, is to be asked max(r - h, 0) more.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `selection` | which attributes to judge, how often each | none | at least one judgment |
/// | `objects` | the objects to plan for, which may be new | those judged | each once |
///
/// Cost: O(judgments + objects attributes).
///
/// ```
/// use beanjar::multiselect::{Plan, Selection};
/// use beanjar::{Column, Context, Judgments};
///
/// let judgments = Judgments::from_rows([("jar 1", "beans", "ann", 310.0), ("jar 2", "beans", "ann", 50.0)])?;
/// let selection = Selection::from_columns(&Column::from_rows("judgments", [("beans", "3")])?, None)?;
/// let outcome = Plan { selection, objects: None }.run(&judgments, &Context::new())?;
/// assert_eq!((outcome.ask, outcome.rows().next().unwrap().ask), (4, 2));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Which attributes to judge, how often each.
    pub selection: Selection,
    /// The objects to plan for, which may be new; none for those judged.
    pub objects: Option<Dictionary>,
}

/// What there is and what is to be asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanOutcome {
    /// The objects' ids.
    pub objects: Dictionary,
    /// The number of judgments to ask for, of all objects.
    pub ask: u64,
    /// What they cost.
    pub cost: f64,
    /// The attributes of the selection.
    pub attributes: Vec<PlanAttribute>,
    /// The number of judgments at hand, object by object, of each attribute of the selection.
    pub have: Vec<u32>,
    /// What a user should know of it.
    pub warnings: Vec<Warning>,
}

/// An attribute of a plan, over all objects.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanAttribute {
    /// Its name.
    pub attribute: String,
    /// How often each object is to be judged.
    pub judgments: u32,
    /// How many judgments there are.
    pub have: u64,
    /// How many more to ask for.
    pub ask: u64,
    /// What those cost.
    pub cost: f64,
    /// What a judgment costs.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub price: f64,
}

/// One attribute of one object in a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanRow<'a> {
    /// Which object.
    pub object: &'a str,
    /// Which attribute.
    pub attribute: &'a str,
    /// How many judgments there are.
    pub have: u32,
    /// How many more to ask for.
    pub ask: u32,
    /// What those cost.
    pub cost: f64,
}

impl Plan {
    /// An error if the selection is none.
    pub fn check(&self) -> Result<()> {
        self.selection.check()
    }

    /// Compares the judgments at hand with the selection.
    pub fn run(&self, judgments: &Judgments, context: &Context) -> Result<PlanOutcome> {
        self.check()?;
        let lookup = judgments.attributes.lookup();
        let wanted = &self.selection.attributes;
        let columns: Vec<Option<usize>> = wanted.iter().map(|wanted| lookup.code(&wanted.attribute)).collect();
        let unseen = wanted.iter().zip(&columns).filter(|(_, column)| column.is_none());
        let unseen: Vec<String> = unseen.map(|(wanted, _)| wanted.attribute.clone()).collect();
        let objects = self.objects.as_ref().unwrap_or(&judgments.objects);
        let have = counts(judgments, objects, &columns, context)?;
        let attributes: Vec<PlanAttribute> = wanted
            .iter()
            .enumerate()
            .map(|(i, wanted)| {
                let of_each = || have.iter().skip(i).step_by(columns.len());
                let ask = of_each().map(|&have| u64::from(wanted.judgments.saturating_sub(have))).sum();
                PlanAttribute {
                    attribute: wanted.attribute.clone(),
                    judgments: wanted.judgments,
                    have: of_each().copied().map(u64::from).sum(),
                    ask,
                    cost: ask as f64 * wanted.cost,
                    price: wanted.cost,
                }
            })
            .collect();
        Ok(PlanOutcome {
            objects: objects.clone(),
            ask: attributes.iter().map(|attribute| attribute.ask).sum(),
            cost: attributes.iter().map(|attribute| attribute.cost).sum(),
            attributes,
            have,
            warnings: (!unseen.is_empty()).then_some(Warning::NeverJudged { attributes: unseen }).into_iter().collect(),
        })
    }
}

/// How often each object was judged on each of these attributes of the table; a new object never.
fn counts(
    judgments: &Judgments,
    objects: &Dictionary,
    columns: &[Option<usize>],
    context: &Context,
) -> Result<Vec<u32>> {
    let lookup = judgments.objects.lookup();
    let mut counts = Vec::with_capacity(objects.len() * columns.len());
    let mut of_object = vec![0; judgments.attributes.len()];
    for (number, id) in objects.iter().enumerate() {
        if number % 65_536 == 0 {
            context.report("planning", number as f64 / objects.len() as f64)?;
        }
        of_object.fill(0);
        if let Some(object) = lookup.code(id) {
            for (attribute, _, values) in judgments.of(object).by_attribute() {
                of_object[attribute] = values.len() as u32;
            }
        }
        counts.extend(columns.iter().map(|column| column.map_or(0, |column| of_object[column])));
    }
    Ok(counts)
}

impl PlanOutcome {
    /// How much is to be asked, and what it costs, in a sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        format!(
            "{} to ask for {}, at a cost of {}",
            counted(self.ask as usize, "judgment"),
            counted(self.objects.len(), "object"),
            money(self.cost)
        )
    }

    /// The attributes of the first object, then those of the next.
    pub fn rows(&self) -> impl Iterator<Item = PlanRow<'_>> {
        let each = self.attributes.len().max(1);
        self.objects.iter().zip(self.have.chunks(each)).flat_map(|(object, have)| {
            self.attributes.iter().zip(have).map(move |(attribute, &have)| {
                let ask = attribute.judgments.saturating_sub(have);
                let cost = f64::from(ask) * attribute.price;
                PlanRow { object, attribute: &attribute.attribute, have, ask, cost }
            })
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for PlanOutcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut outcome = serializer.serialize_struct("PlanOutcome", 5)?;
        outcome.serialize_field("objects", &self.objects.len())?;
        outcome.serialize_field("ask", &self.ask)?;
        outcome.serialize_field("cost", &self.cost)?;
        outcome.serialize_field("attributes", &self.attributes)?;
        outcome.serialize_field("plan", &PlanRows(self))?;
        outcome.end()
    }
}

/// The rows, made as they are written: there may be millions.
#[cfg(feature = "serde")]
struct PlanRows<'a>(&'a PlanOutcome);

#[cfg(feature = "serde")]
impl serde::Serialize for PlanRows<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::SelectionAttribute;

    #[test]
    fn what_is_there_is_not_asked_again() {
        let rows = [("p", "tall", "", 1.0), ("p", "tall", "", 1.0), ("p", "male", "", 1.0), ("q", "male", "", 0.0)];
        let judgments = Judgments::from_rows(rows).unwrap();
        let wanted = [("tall", 3, 2.0), ("male", 1, 1.0), ("old", 2, 0.5)];
        let attributes = wanted.map(|(attribute, judgments, cost)| SelectionAttribute {
            attribute: attribute.to_owned(),
            judgments,
            cost,
            noise_factor: None,
        });
        let selection = Selection::new(attributes.to_vec()).unwrap();
        let new = Some(["q", "new"].into_iter().collect());
        let of_new = Plan { selection: selection.clone(), objects: new }.run(&judgments, &Context::new()).unwrap();
        let rows: Vec<(&str, u32, f64)> = of_new.rows().map(|row| (row.object, row.ask, row.cost)).collect();
        let expected = [("q", 3, 6.0), ("q", 0, 0.0), ("q", 2, 1.0), ("new", 3, 6.0), ("new", 1, 1.0), ("new", 2, 1.0)];
        assert_eq!((rows, of_new.cost), (expected.to_vec(), 15.0));
        let outcome = Plan { selection, objects: None }.run(&judgments, &Context::new()).unwrap();
        let counts: Vec<(&str, &str, u32, u32)> =
            outcome.rows().map(|row| (row.object, row.attribute, row.have, row.ask)).collect();
        let expected = [
            ("p", "tall", 2, 1),
            ("p", "male", 1, 0),
            ("p", "old", 0, 2),
            ("q", "tall", 0, 3),
            ("q", "male", 1, 0),
            ("q", "old", 0, 2),
        ];
        assert_eq!(counts, expected);
        assert_eq!((outcome.ask, outcome.cost), (8, 4.0 * 2.0 + 4.0 * 0.5));
        assert_eq!(outcome.warnings, [Warning::NeverJudged { attributes: vec!["old".into()] }]);
        let totals: Vec<(u64, u64)> = outcome.attributes.iter().map(|a| (a.have, a.ask)).collect();
        assert_eq!(totals, [(2, 4), (2, 0), (0, 4)]);
    }

    #[test]
    fn a_plan_needs_a_selection() {
        let judgments = Judgments::from_rows([("p", "tall", "", 1.0)]).unwrap();
        assert!(Plan::default().run(&judgments, &Context::new()).is_err());
    }
}
