use super::*;
use crate::judgments::Ballots;
use crate::simulate::Crowd;
use crate::truth::{Calibration, DawidSkene};

fn crowd(crowd: &Crowd, seed: u64) -> (Ballots, Vec<Option<u16>>) {
    let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
    let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    (Ballots::from_tasks(&drawn.labels, crowd.workers, crowd.classes).unwrap(), truth)
}

#[test]
fn better_and_better_calibrated_than_free_tables_where_labels_are_few() {
    let (mut ours, mut theirs) = ((0.0, 0.0), (0.0, 0.0));
    for seed in 0..5 {
        let few = Crowd { tasks: 400, workers: 100, classes: 3, votes: (3, 3), ..Crowd::default() };
        let (ballots, truth) = crowd(&few, seed);
        let evidence = Evidence::votes(&ballots).unwrap();
        let auto =
            Calibration::of(&Auto::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth).unwrap();
        let free =
            Calibration::of(&DawidSkene::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth).unwrap();
        ours = (ours.0 + auto.accuracy / 5.0, ours.1 + auto.ece / 5.0);
        theirs = (theirs.0 + free.accuracy / 5.0, theirs.1 + free.ece / 5.0);
    }
    assert!(ours.0 > theirs.0 + 0.03, "{ours:?} {theirs:?}");
    assert!(ours.1 < 0.5 * theirs.1, "{ours:?} {theirs:?}");
}

#[test]
fn rare_classes_do_not_die_of_the_uniform_prior() {
    let rare =
        Crowd { tasks: 1500, workers: 60, votes: (3, 3), priors: vec![0.9, 0.1], accuracy: 0.75, ..Crowd::default() };
    let (ballots, truth) = crowd(&rare, 2);
    let evidence = Evidence::votes(&ballots).unwrap();
    let fitted = Auto::default().fit(&evidence, &Context::new()).unwrap();
    let chosen = fitted.blend.clone().unwrap();
    assert!(chosen.class_priors[2].1 < 0.1, "{chosen:?}");
    let uniform = Skilled { prior: ClassPrior::Uniform, ..Skilled::default() };
    let uniform = uniform.fit(&evidence, &Context::new()).unwrap();
    assert!(fitted.posterior.error(&truth) < uniform.posterior.error(&truth));
}

#[test]
fn threads_change_nothing_and_odd_crowds_get_an_answer() {
    let (ballots, _) = crowd(&Crowd { tasks: 80, workers: 10, classes: 3, ..Crowd::default() }, 1);
    let evidence = Evidence::votes(&ballots).unwrap();
    let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    assert!(
        Auto::default().fit(&evidence, &Context::new()).unwrap() == Auto::default().fit(&evidence, &context).unwrap()
    );
    // One label each: nothing can be held out, and the label given stands.
    let alone = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 1)], vec![], vec![(0, 1)]], 2, 2).unwrap();
    let fitted = Auto::default().fit(&Evidence::votes(&alone).unwrap(), &Context::new()).unwrap();
    assert_eq!(fitted.posterior.of(2), [0.5, 0.5]);
    assert!(fitted.posterior.answer(0, 0).class == 0 && fitted.posterior.answer(1, 0).class == 1);
    let single = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 0)]], 2, 1).unwrap();
    let fitted = Auto::default().fit(&Evidence::votes(&single).unwrap(), &Context::new()).unwrap();
    assert_eq!(fitted.posterior.of(1), [1.0]);
}

#[test]
fn known_classes_stay() {
    let (ballots, truth) = crowd(&Crowd { tasks: 100, workers: 8, classes: 2, ..Crowd::default() }, 3);
    let evidence = Evidence::with_gold(&ballots, truth.clone()).unwrap();
    let fitted = Auto::default().fit(&evidence, &Context::new()).unwrap();
    assert_eq!(fitted.posterior.error(&truth), Some(0.0));
}
