use super::{Chapter, paragraph};
use crate::failure::Result;
use crate::output::{count, number, table};
use beanjar::simulate::{Crowd, SimulatedLabels};
use beanjar::truth::{Majority, Method};
use beanjar::{Aggregate, Context, RankWorkers, RankWorkersOutcome};
use std::collections::BTreeMap;

/// Workers with spammers, contrary ones and copiers among them.
fn crowd() -> Crowd {
    Crowd {
        tasks: 1500,
        workers: 30,
        classes: 3,
        votes: (5, 7),
        accuracy: 0.7,
        hard: 0.2,
        families: 1,
        family_size: 4,
        copying: 0.97,
        random: 4,
        constant: 2,
        contrary: 1,
        ..Crowd::default()
    }
}

pub(super) fn tell(context: &Context) -> Result<Chapter> {
    let drawn = crowd().draw(context)?;
    let (labels, truth) = (drawn.to_labels()?, drawn.truth()?);
    let ranked = RankWorkers { details: true, ..RankWorkers::default() }.fit(&labels, context)?;
    let aggregate = Aggregate { truth: Some(truth), details: true, ..Aggregate::default() };
    let aggregated = aggregate.fit(&labels, context)?;
    let plain = Aggregate { method: Method::Majority(Majority::default()), details: false, ..aggregate };
    let plain = plain.fit(&labels, context)?;
    let accuracy = |outcome: &beanjar::AggregateOutcome| number(outcome.truth.map(|truth| truth.accuracy));
    let crowd = format!(
        "{} label {} with 3 classes, 5 to 7 each. Some answer at random, some always the same, one turns classes round, \
         and four hand one another the answers.",
        count(ranked.workers.len(), "worker"),
        count(labels.tasks.len(), "task"),
    );
    let met = paragraph(&format!("{crowd} From the labels alone:"));
    let found = format!(
        "The plain vote labels {} of tasks rightly, beanjar {}, which is not shown the truth.",
        accuracy(&plain),
        accuracy(&aggregated),
    );
    let verdicts = verdicts(&ranked, &drawn) + &honest_but_dropped(&ranked, &drawn);
    let text = format!(
        "3. Which workers to drop? (beanjar workers)\n\n{met}{verdicts}\n4. What are the labels? (beanjar aggregate)\n\n{}",
        paragraph(&found)
    );
    let parts = vec![
        beanjar_report::workers(&ranked).with_lead(crowd),
        beanjar_report::aggregate(&aggregated).with_lead(found),
    ];
    Ok(Chapter { text, parts })
}

/// How many workers are found to be what, and what they really are.
fn verdicts(ranked: &RankWorkersOutcome, drawn: &SimulatedLabels) -> String {
    let kinds: BTreeMap<String, String> = drawn.workers().map(|(worker, _, kind)| (worker, kind)).collect();
    let mut found: BTreeMap<(bool, String), BTreeMap<String, usize>> = BTreeMap::new();
    for worker in &ranked.workers {
        let verdict = if worker.copies.is_some() { "copies another".to_owned() } else { worker.verdict.clone() };
        let kind = kinds.get(&worker.worker).map_or("", String::as_str);
        let kind = if kind.starts_with("copies") { "copies another" } else { kind };
        *found.entry((!worker.kept, verdict)).or_default().entry(kind.to_owned()).or_default() += 1;
    }
    let row = |((dropped, verdict), kinds): (&(bool, String), &BTreeMap<String, usize>)| {
        let really: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        let workers: usize = kinds.values().sum();
        vec![verdict.clone(), workers.to_string(), if *dropped { "drop" } else { "keep" }.into(), really.join(", ")]
    };
    table(&["beanjar says", "workers", "", "what they really are"], found.iter().map(row).collect())
}

/// How good the honest workers are who are dropped all the same; nothing if none is.
fn honest_but_dropped(ranked: &RankWorkersOutcome, drawn: &SimulatedLabels) -> String {
    let kept = |id: &str| ranked.workers.iter().any(|worker| worker.worker == id && worker.kept);
    let dropped: Vec<f64> = drawn
        .workers()
        .filter(|(worker, _, kind)| kind == "honest" && !kept(worker))
        .map(|(_, accuracy, _)| accuracy)
        .collect();
    let best = dropped.iter().copied().fold(0.0, f64::max);
    let right = format!("right {} of the time, where guessing gives 0.33", number(best));
    match dropped.len() {
        0 => String::new(),
        1 => format!("\n  The honest worker who is dropped is {right}.\n"),
        n => format!("\n  The best of the {n} honest workers who are dropped is {right}.\n"),
    }
}
