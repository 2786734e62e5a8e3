use super::*;
use crate::Context;
use crate::multiselect::estimates::tests::random_judgments;
use crate::multiselect::{Method, Select, SelectOutcome};

/// The sums of judgments whose objects are put into groups one after the other, with every third object as a sample.
fn elsewhere(judgments: &Judgments, label: &Column, classes: Option<&[(String, u64)]>) -> (Judgments, Elsewhere) {
    let objects: Vec<usize> = (0..judgments.objects.len()).collect();
    let rows = |objects: Vec<usize>| {
        let mut rows = Vec::new();
        for object in objects {
            for (a, _, values) in judgments.of(object).by_attribute() {
                let names = (judgments.objects.get(object), judgments.attributes.get(a));
                rows.extend(values.iter().map(|&value| (names.0, names.1, "", value)));
            }
        }
        rows
    };
    let sample = Judgments::from_rows(rows(objects.iter().copied().step_by(3).collect())).unwrap();
    let pass = MomentsPass::new(&sample, label, classes).unwrap();
    let pass = MomentsPass::from_bytes(&pass.to_bytes()).unwrap();
    let groups = pass.groups();
    let group_of = |object: &str| judgments.objects.iter().position(|id| id == object).unwrap() % groups;
    let labels = label.matched(&judgments.objects, "object").unwrap();
    // Two processes, each with half of the groups.
    let mut sums = Vec::new();
    for half in [0, 1] {
        let mut found = GroupMoments::new(pass.clone());
        for group in (0..groups).filter(|group| group % 2 == half) {
            for &object in objects.iter().filter(|&&object| object % groups == group) {
                for (object_id, attribute, _, value) in rows(vec![object]).into_iter().rev() {
                    let label = labels[object].filter(|label| !label.is_empty());
                    let group = group as u32;
                    found.push(GroupedJudgment { group, object: object_id, attribute, value, label }).unwrap();
                }
            }
        }
        sums.extend(found.finish());
    }
    let sampled = sample.objects.iter().map(|id| (id.to_owned(), group_of(id) as u32)).collect();
    let sampled: Vec<(String, u32)> = sampled;
    (sample, Elsewhere::from_bytes(&Elsewhere::bytes_of(&pass, &sampled, &sums)).unwrap())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

fn same_moments(here: &SelectOutcome, there: &SelectOutcome) {
    assert_eq!((here.objects, &here.label.classes), (there.objects, &there.label.classes));
    assert!(close(here.label.variance, there.label.variance));
    for (a, b) in here.label.mean.all().iter().zip(there.label.mean.all()) {
        assert!(close(*a, *b), "{a} {b}");
    }
    for (a, b) in here.attributes.iter().zip(&there.attributes) {
        assert_eq!(a.attribute, b.attribute);
        assert!(close(a.noise, b.noise) && close(a.signal, b.signal), "{a:?} {b:?}");
    }
    assert_eq!(
        here.selection.iter().map(|row| row.judgments).collect::<Vec<_>>(),
        there.selection.iter().map(|row| row.judgments).collect::<Vec<_>>()
    );
    assert!(close(here.explained, there.explained) && close(here.upper_bound, there.upper_bound));
}

#[test]
fn sums_of_groups_select_as_all_judgments_do() {
    let (judgments, labels) = random_judgments(5, 6, 1200);
    // Some objects have no label.
    let texts = labels.iter().enumerate().map(|(i, y)| if i % 7 == 3 { String::new() } else { y.to_string() });
    let label = Column::new("y", judgments.objects.clone(), texts.collect()).unwrap();
    for method in [Method::Full, Method::Scoring, Method::Best, Method::CrowdMean] {
        let select = Select { budget: 9.0, method, ridge: Some(0.1), ..Select::default() };
        let here = select.fit(&judgments, &label, &Context::new()).unwrap();
        let (sample, sums) = elsewhere(&judgments, &label, None);
        let there = select.fit_sample(&sample, &label, &sums, &Context::new()).unwrap();
        same_moments(&here, &there);
        assert_eq!(here.warnings, there.warnings);
        // Folds differ, and so do expected losses, by less than their standard errors.
        let (a, b, se) = (here.cv_loss.unwrap(), there.cv_loss.unwrap(), here.cv_se.unwrap());
        assert!((a - b).abs() < se && there.cv_se.unwrap() < 2.0 * se, "{a} {b} {se}");
    }
    let resampled = Select { budget: 9.0, bootstrap: Some(50), ..Select::default() };
    let (sample, sums) = elsewhere(&judgments, &label, None);
    let there = resampled.fit_sample(&sample, &label, &sums, &Context::new()).unwrap();
    let here = resampled.fit(&judgments, &label, &Context::new()).unwrap();
    assert_eq!(here.ridge, there.ridge);
    let chosen = |found: &SelectOutcome| found.stability.as_ref().unwrap().iter().map(|a| a.chosen).collect::<Vec<_>>();
    for (a, b) in chosen(&here).iter().zip(chosen(&there)) {
        assert!((a - b).abs() < 0.4, "{a} {b}");
    }
}

#[test]
fn classes_are_coded_alike_and_recognised_in_the_sample() {
    let (judgments, labels) = random_judgments(6, 5, 1500);
    for cuts in [&[5.0][..], &[4.5, 5.5]] {
        let name = |y: &f64| ["low", "middle", "top"][cuts.iter().filter(|cut| y > cut).count()].to_owned();
        let texts: Vec<String> = labels.iter().map(name).collect();
        let mut counts: Vec<(String, u64)> = Vec::new();
        for text in &texts {
            match counts.iter_mut().find(|(name, _)| name == text) {
                Some((_, count)) => *count += 1,
                None => counts.push((text.clone(), 1)),
            }
        }
        let label = Column::new("y", judgments.objects.clone(), texts).unwrap();
        let select = Select { budget: 8.0, ridge: Some(0.0), ..Select::default() };
        let here = select.fit(&judgments, &label, &Context::new()).unwrap();
        let (sample, sums) = elsewhere(&judgments, &label, Some(&counts));
        let there = select.fit_sample(&sample, &label, &sums, &Context::new()).unwrap();
        same_moments(&here, &there);
        let (a, b) = (here.error_rate.unwrap(), there.error_rate.unwrap());
        assert!((a - b).abs() < 0.06, "{a} {b}");
    }
}

#[test]
fn what_cannot_be_worked_with_is_refused() {
    let (judgments, labels) = random_judgments(7, 2, 40);
    let texts = labels.iter().map(ToString::to_string).collect();
    let label = Column::new("y", judgments.objects.clone(), texts).unwrap();
    let pass = MomentsPass::new(&judgments, &label, None).unwrap();
    let judgment = |value, label| GroupedJudgment { group: 0, object: "o", attribute: "a0", value, label };
    let push = |value, label| GroupMoments::new(pass.clone()).push(judgment(value, label));
    assert_eq!(push(f64::NAN, Some("1")), Err(Error::OutOfScale));
    assert_eq!(push(1e60, None), Err(Error::OutOfScale));
    assert!(matches!(push(1.0, Some("many")), Err(Error::LabelsUnclear { .. })));
    assert!(push(1.0, Some(" 2.5 ")).is_ok() && push(1.0, None).is_ok());
    assert!(MomentsPass::from_bytes(&pass.to_bytes()[..9]).is_err());
    assert!(Elsewhere::new(pass.clone(), Vec::new(), &[(999, Vec::new())]).is_err());
    let none = Elsewhere::new(pass, Vec::new(), &[]).unwrap();
    let found = Select::default().fit_sample(&judgments, &label, &none, &Context::new());
    assert_eq!(found.unwrap_err(), Error::FewLabels(0));
}
