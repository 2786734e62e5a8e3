use super::*;
use crate::experts::ExpertModel;
use crate::{Context, Judgments, Labels};

/// Files that a program of version 1 wrote, by every method.
const VERSION_1: [(&str, &str); 9] = [
    ("auto", include_str!("version_1/auto.json")),
    ("majority", include_str!("version_1/majority.json")),
    ("wawa", include_str!("version_1/wawa.json")),
    ("dawid-skene", include_str!("version_1/dawid-skene.json")),
    ("one-coin", include_str!("version_1/one-coin.json")),
    ("pooled", include_str!("version_1/pooled.json")),
    ("skilled", include_str!("version_1/skilled.json")),
    ("spectral", include_str!("version_1/spectral.json")),
    ("mixture", include_str!("version_1/mixture.json")),
];

#[test]
fn crowd_models_of_version_1_still_load_and_label() {
    // Made from labels of three tasks by ann, bob and cy, of which the first is x by all and the second y by most.
    let new = Labels::from_rows([("4", "ann", "x"), ("4", "bob", "x"), ("5", "ann", "y"), ("5", "zoe", "y")]).unwrap();
    for (method, text) in VERSION_1 {
        let Model::Crowd(model) = Model::from_json(text).unwrap() else { panic!("{method}: another kind") };
        assert_eq!((model.method(), model.classes()), (method, &["x".to_owned(), "y".to_owned()][..]));
        let outcome = model.predict(&new, &Context::new()).unwrap();
        let labels: Vec<&str> = outcome.tasks().map(|task| task.label).collect();
        assert_eq!(labels, ["x", "y"], "{method}");
        let again = Model::from_json(&Model::Crowd(model).to_json()).unwrap();
        let Model::Crowd(again) = again else { panic!("{method}: another kind") };
        let twice = again.predict(&new, &Context::new()).unwrap();
        for (a, b) in outcome.tasks().zip(twice.tasks()) {
            assert!((a.confidence - b.confidence).abs() < 1e-9, "{method}");
        }
    }
}

#[test]
fn multiselect_models_of_version_1_still_load_and_predict() {
    let rows = [("o1", "size", 6.0), ("o1", "size", 7.0), ("o1", "age", -3.0), ("o2", "size", 4.0)];
    let judgments =
        Judgments::from_rows(rows.map(|(object, attribute, value)| (object, attribute, "w", value))).unwrap();
    for (text, classes) in [
        (include_str!("version_1/multiselect.json"), false),
        (include_str!("version_1/multiselect-classes.json"), true),
    ] {
        let Model::Multiselect(predictor) = Model::from_json(text).unwrap() else { panic!("another kind") };
        let outcome = predictor.predict(&judgments, &Context::new()).unwrap();
        assert_eq!(outcome.planned, [true, false]);
        // By hand from the file: the bias, and each weight times the mean.
        let weight = |a: usize| predictor.attributes[a].weight.single().unwrap();
        let by_hand = predictor.bias.single().unwrap() + weight(0) * 6.5 + weight(1) * -3.0;
        assert!((outcome.predictions[0] - by_hand).abs() < 1e-12);
        assert!(outcome.predictions[0] > outcome.predictions[1]);
        assert_eq!(outcome.rows().next().unwrap().label.is_some(), classes);
        let again = Model::from_json(&Model::Multiselect(predictor.clone()).to_json()).unwrap();
        assert_eq!(again, Model::Multiselect(predictor));
    }
}

#[test]
fn a_predictor_of_three_classes_is_saved_and_loaded() {
    use crate::multiselect::{FitPredictor, Fitting, Select};
    use crate::simulate::{JudgedObjects, JudgmentShape, LabelShape};
    let world = JudgedObjects::new(LabelShape::Means(3), JudgmentShape::Normal, 4, 1);
    let (judgments, label) = world.draw(60, &[2; 4], 2).unwrap();
    let selection = Select { budget: 5.0, ..Select::default() }.fit(&judgments, &label, &Context::new()).unwrap();
    let params =
        FitPredictor { selection: selection.to_selection(), fitting: Fitting::Moments, ..FitPredictor::default() };
    let predictor = params.fit(&judgments, &label, &Context::new()).unwrap().predictor;
    let text = Model::Multiselect(predictor.clone()).to_json();
    let Model::Multiselect(again) = Model::from_json(&text).unwrap() else { panic!("another kind") };
    assert_eq!(again, predictor);
    let found = again.predict(&judgments, &Context::new()).unwrap();
    assert_eq!((found.probabilities.len(), found.predictions.len()), (180, 0));
    for (part, other) in
        [("\"means\"", "\"meaning\""), ("\"shares\": [", "\"shares\": [0.1,"), ("\"weight\": [", "\"weight\": [1,")]
    {
        assert!(Model::from_json(&text.replace(part, other)).is_err(), "{part}");
    }
}

#[test]
fn experts_models_of_version_1_still_load_and_classify() {
    for (text, experts) in [(include_str!("version_1/experts.json"), 3), (include_str!("version_1/classifier.json"), 0)]
    {
        let Model::Experts(model) = Model::from_json(text).unwrap() else { panic!("another kind") };
        assert_eq!(model.classes(), ["no", "yes"]);
        assert_eq!(model.feature_names(), ["height", "width"]);
        assert_eq!(model.experts().map_or(0, ExpertModel::experts), experts);
        let again = Model::from_json(&Model::Experts(model.clone()).to_json()).unwrap();
        assert_eq!(again, Model::Experts(model));
    }
}

#[test]
fn what_is_no_model_or_damaged_is_refused() {
    let good = VERSION_1[3].1;
    assert!(Model::from_json(good).is_ok());
    assert_eq!(Model::from_json(""), Err(Error::NotAModelFile));
    assert_eq!(Model::from_json("[1, 2]"), Err(Error::NotAModelFile));
    assert_eq!(Model::from_json("{\"kind\": \"crowd\"}"), Err(Error::NotAModelFile));
    let version = good.replace("\"beanjar_model\": 1", "\"beanjar_model\": 2");
    assert_eq!(Model::from_json(&version), Err(Error::ModelVersion { found: 2, known: 1 }));
    let kind = good.replace("\"kind\": \"crowd\"", "\"kind\": \"oracle\"");
    assert_eq!(Model::from_json(&kind), Err(Error::ModelKind("oracle".into())));
    for (from, to) in [
        ("\"prior\"", "\"priors\""),
        ("\"x\",", ""),
        ("\"bob\"", "\"ann\""),
        ("\"workers\": [\n    \"ann\",", "\"workers\": ["),
    ] {
        let damaged = good.replacen(from, to, 1);
        assert_ne!(damaged, good, "{from}");
        assert!(matches!(Model::from_json(&damaged), Err(Error::DamagedModel(_))), "{from}");
    }
}
