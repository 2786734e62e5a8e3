use super::*;
use std::num::NonZeroUsize;

fn rows(n: usize) -> Vec<(String, String, String)> {
    (0..n)
        .map(|i| (format!("{}", (i * 31) % (n / 4 + 1)), format!("w{}", (i * 17) % 23), format!("{}", (i * i) % 5)))
        .collect()
}

fn table(rows: &[(String, String, String)]) -> Labels {
    Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap()
}

#[test]
fn agreement_is_the_mean_share_of_others_who_say_the_same() {
    let rows = rows(301);
    let labels = table(&rows);
    let found = InspectLabels::default().run(&labels, &Context::new()).unwrap();
    for worker in &found.workers {
        let shares: Vec<f64> = rows
            .iter()
            .filter(|row| row.1 == worker.worker)
            .filter_map(|row| {
                let others: Vec<_> = rows.iter().filter(|other| other.0 == row.0 && other.1 != row.1).collect();
                let alike = others.iter().filter(|other| other.2 == row.2).count() as f64;
                (!others.is_empty()).then(|| alike / others.len() as f64)
            })
            .collect();
        let expected = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
        match (worker.agreement, expected) {
            (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-12),
            (found, expected) => assert_eq!(found, expected),
        }
        assert_eq!(worker.labels as usize, rows.iter().filter(|row| row.1 == worker.worker).count());
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let labels = table(&rows(70_001));
    let one = InspectLabels::default().run(&labels, &Context::new()).unwrap();
    for threads in [2, 3, 7] {
        let context = Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap();
        assert_eq!(InspectLabels::default().run(&labels, &context).unwrap(), one);
    }
}

#[test]
fn counts_add_up() {
    let labels = table(&rows(1003));
    let found = InspectLabels { bootstrap: 10, ..Default::default() }.run(&labels, &Context::new()).unwrap();
    assert_eq!(found.votes_per_task.iter().map(|v| v.votes * v.tasks).sum::<u64>(), 1003);
    assert_eq!(found.votes_per_task.iter().map(|v| v.tasks).sum::<u64>() as usize, found.tasks);
    assert_eq!(found.workers.iter().map(|w| w.labels).sum::<u64>(), 1003);
    assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(found.alpha_low.unwrap() <= found.alpha_high.unwrap());
}

#[test]
fn names_have_an_order_only_if_it_is_given() {
    let rows = [("1", "a", "low"), ("1", "b", "high"), ("2", "a", "low"), ("2", "b", "medium"), ("3", "a", "low")];
    let rows = rows.into_iter().chain([("3", "b", "low"), ("4", "a", "high"), ("4", "b", "high")]);
    let labels = Labels::from_rows(rows).unwrap();
    let ordinal = InspectLabels { scale: Scale::Ordinal, bootstrap: 0, ..Default::default() };
    let refused = ordinal.run(&labels, &Context::new());
    assert_eq!(refused, Err(Error::OrderUnknown { class: "high".into() }));
    let ordered = InspectLabels { ordered: true, ..ordinal.clone() };
    let named = ordered.run(&labels.in_order(&["low", "medium", "high"]).unwrap(), &Context::new()).unwrap();
    let numbers = labels.renamed(&["3", "1", "2"]).unwrap();
    assert_eq!(named.alpha, ordinal.run(&numbers, &Context::new()).unwrap().alpha);
}

#[test]
fn of_labels_given_twice_all_or_the_first_count() {
    let once = [("1", "ann", "cat"), ("1", "bob", "dog"), ("2", "ann", "dog"), ("2", "bob", "dog")];
    let again = once.into_iter().chain([("1", "ann", "dog"), ("2", "bob", "cat")]);
    let (once, again) = (Labels::from_rows(once).unwrap(), Labels::from_rows(again).unwrap());
    let inspect =
        |labels: &Labels, repeats| InspectLabels { repeats, ..Default::default() }.run(labels, &Context::new());
    let (plain, first) = (inspect(&once, Repeats::All).unwrap(), inspect(&again, Repeats::First).unwrap());
    assert_eq!((first.repeated, first.labels, first.alpha, &first.workers), (2, 4, plain.alpha, &plain.workers));
    assert!(first.warnings.is_empty());
    assert_eq!(inspect(&again, Repeats::All).unwrap().labels, 6);
    let refused = inspect(&again, Repeats::Average).unwrap_err().to_string();
    assert!(refused.contains("first or all"), "{refused}");
}

#[test]
fn nothing_to_inspect_is_an_error() {
    let none = Labels::from_rows([]).unwrap();
    assert!(InspectLabels::default().run(&none, &Context::new()).is_err());
}

#[test]
fn what_looks_odd_is_warned_of() {
    let rows = [("1", "ann", "cat"), ("1", "ann", "cat"), ("2", "bob", "cat"), ("3", "ann", "cat")];
    let labels = Labels::from_rows(rows).unwrap();
    let known = Some(["3", "1", "9"].into_iter().collect());
    let outcome = InspectLabels { known, ..Default::default() }.run(&labels, &Context::new()).unwrap();
    assert_eq!(outcome.labelled, Some(2));
    let expected = [
        Warning::NotLabelled { count: 1, what: "task" },
        Warning::RepeatedLabels { labels: 1 },
        Warning::OneClass { class: "cat".into() },
        Warning::SingleAnswers { workers: 1, what: "label" },
    ];
    assert_eq!(outcome.warnings, expected);
    let strangers = InspectLabels { known: Some(["9"].into_iter().collect()), ..Default::default() };
    assert!(matches!(strangers.run(&labels, &Context::new()), Err(Error::NothingInCommon { .. })));
    let plain = Labels::from_rows([("1", "a", "x"), ("1", "b", "y"), ("2", "a", "x"), ("2", "b", "x")]).unwrap();
    assert_eq!(InspectLabels::default().run(&plain, &Context::new()).unwrap().warnings, []);
}

#[test]
fn the_callback_hears_of_the_bootstrap_and_can_stop_it() {
    let labels = table(&rows(100));
    let context = Context::new().with_progress(|progress| match progress.done < 0.5 {
        true => std::ops::ControlFlow::Continue(()),
        false => std::ops::ControlFlow::Break(()),
    });
    assert_eq!(InspectLabels::default().run(&labels, &context), Err(Error::Stopped));
}
