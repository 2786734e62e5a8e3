//! The attributes of the photos: Table 1 of Sabato and Kalai (2013).

/// An attribute of Table 1, and what we assume of it beyond the table.
#[derive(Clone, Copy, Debug)]
pub struct PhotoAttribute {
    /// Its name.
    pub name: &'static str,
    /// Internal variance over external variance, v / sigma^2 (the table's `var.`).
    pub noise_ratio: f64,
    /// Covariance with height over external deviation, b / sigma, in the paper's units of height.
    pub height: f64,
    /// The same for weight.
    pub weight: f64,
    /// Whether judges answer yes or no, or a number.
    pub kind: AttributeKind,
    /// What it has in common with others, beyond height and weight; the sign is the direction.
    pub(super) theme: i8,
}

/// What a judge answers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttributeKind {
    /// Yes (1) or no (0).
    YesNo {
        /// The share of judgments that are yes.
        share: f64,
    },
    /// A number, with this mean and deviation over objects.
    Number {
        /// The mean.
        mean: f64,
        /// The deviation of objects' true values.
        deviation: f64,
    },
}

const GENDER: i8 = 1;
const AGE: i8 = 2;
const BEAUTY: i8 = 3;
const BUILD: i8 = 4;
const CLOTHES: i8 = 5;
const HAIR: i8 = 6;
const SKIN: i8 = 7;
const PLACE: i8 = 8;
const STANCE: i8 = 9;
const STATURE: i8 = 10;
pub(super) const THEMES: usize = 11;

/// The three ratios are noise, height and weight, in the table's order.
const fn yes_no(name: &'static str, ratios: [f64; 3], share: f64, theme: i8) -> PhotoAttribute {
    attribute(name, ratios, AttributeKind::YesNo { share }, theme)
}

const fn numeric(name: &'static str, ratios: [f64; 3], [mean, deviation]: [f64; 2], theme: i8) -> PhotoAttribute {
    attribute(name, ratios, AttributeKind::Number { mean, deviation }, theme)
}

const fn attribute(name: &'static str, ratios: [f64; 3], kind: AttributeKind, theme: i8) -> PhotoAttribute {
    let [noise_ratio, height, weight] = ratios;
    PhotoAttribute { name, noise_ratio, height, weight, kind, theme }
}

/// The 39 attributes of Table 1. The three ratios are the paper's; shares, means and themes are ours.
///
/// The table's caption writes the first ratio as v/sigma. We take it as v/sigma^2, the only one of the two that does
/// not depend on units, and the only one under which Table 2 can come out as it does: with v/sigma in inches one
/// numeric guess of height would beat four judgments of `male`, and the paper's selections have none.
pub const PHOTO_ATTRIBUTES: [PhotoAttribute; 39] = [
    yes_no("male", [0.39, 0.15, 0.04], 0.50, GENDER),
    yes_no("female", [0.45, -0.15, -0.05], 0.50, -GENDER),
    yes_no("outdoors", [0.45, 0.00, -0.01], 0.35, PLACE),
    yes_no("wearing-glasses", [0.52, -0.01, 0.02], 0.25, 0),
    yes_no("near-water", [0.61, 0.00, -0.01], 0.10, PLACE),
    yes_no("wearing-long-sleeves", [0.63, 0.02, 0.01], 0.35, CLOTHES),
    yes_no("wearing-shorts", [0.68, 0.01, 0.01], 0.25, -CLOTHES),
    yes_no("looking-at-the-camera", [0.70, -0.01, 0.00], 0.75, STANCE),
    yes_no("smiling", [0.71, -0.04, -0.01], 0.55, 0),
    yes_no("has-beard", [0.79, 0.08, 0.05], 0.15, GENDER),
    yes_no("long-hair", [0.87, -0.08, -0.04], 0.35, -GENDER),
    yes_no("facing-sideways-(profile)", [0.89, 0.01, -0.01], 0.15, -STANCE),
    yes_no("hands-on-hips", [0.90, -0.04, 0.00], 0.15, STANCE),
    yes_no("heavy", [0.90, -0.02, 0.10], 0.35, BUILD),
    yes_no("dark-hair", [1.13, -0.02, -0.02], 0.50, HAIR),
    yes_no("thin", [1.16, 0.01, -0.09], 0.35, -BUILD),
    yes_no("wearing-dark-colors", [1.17, -0.01, 0.01], 0.50, CLOTHES),
    yes_no("wearing-light-colors", [1.20, -0.01, -0.01], 0.40, -CLOTHES),
    yes_no("can-see-a-lot-of-skin", [1.21, -0.05, -0.03], 0.25, -CLOTHES),
    yes_no("standing-straight", [1.22, 0.06, 0.02], 0.60, STANCE),
    numeric("weight", [1.24, 0.04, 0.12], [170.0, 40.0], BUILD),
    yes_no("wearing-colorful-clothes", [1.36, -0.04, -0.01], 0.40, -CLOTHES),
    yes_no("over-50-years-old", [1.38, 0.01, 0.06], 0.10, AGE),
    yes_no("over-30-years-old", [1.43, 0.04, 0.09], 0.45, AGE),
    yes_no("over-40-years-old", [1.44, 0.02, 0.08], 0.25, AGE),
    yes_no("wearing-fancy-clothes", [1.56, -0.06, -0.02], 0.15, CLOTHES),
    yes_no("wearing-a-dress", [1.67, -0.05, -0.01], 0.10, -GENDER),
    yes_no("wearing-nice-clothes", [1.69, -0.05, -0.03], 0.35, CLOTHES),
    yes_no("attractive", [1.72, -0.04, -0.07], 0.40, BEAUTY),
    numeric("height", [1.73, 0.16, 0.04], [67.0, 3.5], STATURE),
    yes_no("fair-hair", [1.77, -0.05, -0.03], 0.30, -HAIR),
    yes_no("beautiful", [1.80, -0.07, -0.07], 0.35, BEAUTY),
    yes_no("tall", [1.81, 0.12, 0.00], 0.35, STATURE),
    yes_no("dark-skin", [2.21, -0.03, 0.00], 0.20, -SKIN),
    yes_no("fair-skin", [2.38, -0.04, -0.02], 0.55, SKIN),
    yes_no("short", [2.43, -0.09, -0.02], 0.30, -STATURE),
    yes_no("wearing-baggy-clothes", [2.59, 0.03, 0.07], 0.30, BUILD),
    yes_no("over-20-years-old", [3.09, 0.05, 0.08], 0.80, AGE),
    yes_no("good-posture", [3.26, 0.02, -0.05], 0.55, STANCE),
];
