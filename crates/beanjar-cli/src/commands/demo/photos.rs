use super::{Chapter, paragraph};
use crate::failure::Result;
use crate::output::{count, number, table};
use beanjar::multiselect::{FitPredictor, Fitting, Selection, SelectionAttribute};
use beanjar::reliability::AttributeReliability;
use beanjar::simulate::{Photos, SimulatedPhotos};
use beanjar::{Context, InspectJudgments, InspectJudgmentsOutcome, Judgments, Select, SelectOutcome};

/// Photos, judged by a crowd.
pub(super) struct Album {
    settings: Photos,
    drawn: SimulatedPhotos,
    judgments: Judgments,
    pub(super) inspected: InspectJudgmentsOutcome,
}

const BUDGET: f64 = 30.0;
/// What the guess of a number costs, in yes-no answers.
const GUESS: f64 = 4.0;
const FRESH: usize = 1000;
const GUESSED: [&str; 2] = ["height", "weight"];

impl Album {
    pub(super) fn draw(context: &Context) -> Result<Album> {
        let settings = Photos::default();
        let drawn = settings.draw(context)?;
        let judgments = drawn.to_judgments()?;
        let inspected = InspectJudgments::default().run(&judgments, context)?;
        Ok(Album { settings, drawn, judgments, inspected })
    }

    pub(super) fn tell(&self, context: &Context) -> Result<Chapter> {
        let costs = GUESSED.map(|attribute| (attribute.to_owned(), GUESS)).into();
        let select = Select { budget: BUDGET, costs, compare: true, ..Select::default() };
        let selected = select.fit(&self.judgments, &self.drawn.heights()?, context)?;
        let Photos { workers, objects, judgments } = &self.settings;
        let asked = format!(
            "A crowd of {workers} judges {objects} photos of people: 37 yes-no questions and two guesses, each asked \
             {judgments} times a photo. How far can one answer be trusted, and how many would it take?"
        );
        let wanted =
            format!("People's height is to be predicted; a guess of a number costs as much as {GUESS} yes-no answers.");
        let expected = paragraph(&format!(
            "Before paying, beanjar expects a squared error of {} (standard error {}). What it really is, on {FRESH} \
             fresh photos, and what else could have been done:",
            number(selected.cv_loss),
            number(selected.cv_se),
        ));
        let ways = self.on_fresh_photos(&selected, context)?;
        let apart = match (selected.cv_loss, selected.cv_se, ways.first().and_then(|way| way.error)) {
            (Some(loss), Some(se), Some(found)) => apart(loss, se, found),
            _ => String::new(),
        };
        let text = format!(
            "1. What are the judgments like? (beanjar inspect)\n\n{}{}\n\
             2. What to ask, if {BUDGET} answers can be paid for each new photo? (beanjar select)\n\n{}{}\n{expected}{}\n{apart}",
            paragraph(&asked),
            reliabilities(&self.inspected.attributes),
            paragraph(&wanted),
            chosen(&selected),
            table(
                &["what is asked of each photo", "cost", "squared error", "typical error, inches"],
                ways.iter().map(Way::row).collect()
            ),
        );
        let parts = vec![
            beanjar_report::inspect_judgments(&self.inspected).with_lead(asked),
            beanjar_report::select(&selected).with_lead(format!("{wanted} {}", on_fresh(&ways))),
        ];
        Ok(Chapter { text, parts })
    }

    /// The errors of several ways to ask, on photos that none was chosen by.
    fn on_fresh_photos(&self, selected: &SelectOutcome, context: &Context) -> Result<Vec<Way>> {
        let once = |names: &mut dyn Iterator<Item = &str>| -> Vec<(String, u32)> {
            names.map(|name| (name.to_owned(), 1)).collect()
        };
        let all = || self.judgments.attributes.iter();
        let yes_no = || all().filter(|name| !GUESSED.contains(name));
        let guesses = (BUDGET / GUESS) as u32;
        let ways = [
            ("as beanjar says", selected.selection.iter().map(|a| (a.attribute.clone(), a.judgments)).collect()),
            ("everything once", once(&mut all())),
            ("the budget spread evenly over yes-no questions", once(&mut yes_no().take(BUDGET as usize))),
            ("the crowd's own guess of the height, again and again", vec![("height".to_owned(), guesses)]),
        ];
        let most = ways.iter().flat_map(|(_, repeats)| repeats).map(|(_, n)| *n as usize).max().unwrap_or(1);
        let fresh = Photos { objects: FRESH, judgments: most, ..self.settings.clone() };
        let fresh = fresh.draw(&context.clone().with_seed(context.seed().wrapping_add(1)))?;
        let mut found = Vec::new();
        for (name, repeats) in ways {
            let cost: f64 = repeats
                .iter()
                .map(|(name, n)| f64::from(*n) * if GUESSED.contains(&name.as_str()) { GUESS } else { 1.0 })
                .sum();
            let error = self.error(&repeats, selected.ridge, &fresh, context)?;
            found.push(Way { name, cost, error });
        }
        Ok(found)
    }

    /// The squared error on fresh photos of the predictor for these numbers of judgments.
    fn error(
        &self,
        repeats: &[(String, u32)],
        ridge: f64,
        fresh: &SimulatedPhotos,
        context: &Context,
    ) -> Result<Option<f64>> {
        let attribute = |(name, n): &(String, u32)| SelectionAttribute {
            attribute: name.clone(),
            judgments: *n,
            cost: 1.0,
            noise_factor: None,
        };
        let mut selection = Selection::new(repeats.iter().map(attribute).collect())?;
        selection.ridge = ridge;
        let fitted = FitPredictor { selection, fitting: Fitting::Moments, ..FitPredictor::default() }.fit(
            &self.judgments,
            &self.drawn.heights()?,
            context,
        )?;
        let judgments = first(fresh, repeats)?;
        let predicted = fitted.predictor.predict(&judgments, context)?.compared_with(&fresh.heights()?)?;
        Ok(predicted.squared_error)
    }
}

/// A way to ask, what it costs for each photo, and its squared error on fresh ones.
struct Way {
    name: &'static str,
    cost: f64,
    error: Option<f64>,
}

impl Way {
    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), number(self.cost), number(self.error), number(self.error.map(f64::sqrt))]
    }
}

/// The ways and their errors in a sentence.
fn on_fresh(ways: &[Way]) -> String {
    let one = |way: &Way| format!("{} {} (for {})", way.name, number(way.error), number(way.cost));
    let all: Vec<String> = ways.iter().map(one).collect();
    format!("On {FRESH} fresh photos the squared error is: {}.", all.join("; "))
}

/// How far what was found is from what was expected.
fn apart(expected: f64, se: f64, found: f64) -> String {
    // The mean of squares of n normal errors has a variance of 2 / n times its square.
    let both = (se * se + 2.0 * found * found / FRESH as f64).sqrt();
    let (side, far) = (if found < expected { "below" } else { "above" }, (found - expected).abs() / both);
    paragraph(&format!(
        "The error found is {side} the one expected by {far:.1} standard errors of the two together; within two is what \
         chance gives."
    ))
}

/// Of each photo the first judgments of each attribute, as many as are wanted.
fn first(photos: &SimulatedPhotos, repeats: &[(String, u32)]) -> Result<Judgments> {
    let wanted = |name: &str| repeats.iter().find(|(wanted, _)| wanted == name).map_or(0, |(_, n)| *n);
    let mut rows: Vec<(String, &str, String, f64)> = Vec::new();
    let (mut last, mut seen) = ((String::new(), ""), 0);
    for row in photos.rows() {
        if (row.0.as_str(), row.1) != (last.0.as_str(), last.1) {
            (last, seen) = ((row.0.clone(), row.1), 0);
        }
        seen += 1;
        if seen <= wanted(row.1) {
            rows.push(row);
        }
    }
    Ok(Judgments::from_rows(
        rows.iter().map(|(object, attribute, worker, value)| (&object[..], *attribute, &worker[..], *value)),
    )?)
}

/// The attributes that are judged most alike, and least.
fn reliabilities(attributes: &[AttributeReliability]) -> String {
    let mut sorted: Vec<&AttributeReliability> = attributes.iter().collect();
    sorted.sort_by_key(|attribute| attribute.needed.unwrap_or(u64::MAX));
    let ends = 3.min(sorted.len() / 2);
    let row = |a: &&AttributeReliability| {
        let needed = a.needed.map_or("more than there are".into(), |needed| count(needed as usize, "opinion"));
        vec![a.attribute.clone(), number(a.icc), needed]
    };
    let mut rows: Vec<Vec<String>> = sorted[..ends].iter().map(row).collect();
    rows.push(vec!["...".into(), String::new(), String::new()]);
    rows.extend(sorted[sorted.len() - ends..].iter().map(row));
    table(&["attribute", "reliability of one answer", "for a reliability of 0.8"], rows)
        + "\n  Ask each as often as it needs, and no more.\n"
}

fn chosen(selected: &SelectOutcome) -> String {
    let row = |a: &beanjar::multiselect::SelectedAttribute| {
        vec![a.attribute.clone(), a.judgments.to_string(), number(a.cost * f64::from(a.judgments))]
    };
    table(&["attribute", "times", "cost"], selected.selection.iter().map(row).collect())
}
