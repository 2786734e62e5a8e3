//! What commands found, as pictures: one page that holds all it needs, and figures as SVG.
//!
//! Each outcome of the library becomes a [`Part`] of a [`Page`]; it draws what the outcome holds and nothing else. Figures
//! are drawn here, so that a page shows them without a script and prints; its script adds a slider, sorting and hints.
//!
//! ```
//! use beanjar::{Context, InspectLabels, Labels};
//! use beanjar_report::{Page, inspect_labels};
//!
//! let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("2", "ann", "dog"), ("2", "bob", "cat")])?;
//! let outcome = InspectLabels::default().run(&labels, &Context::new())?;
//! let page = Page { title: "Cats and dogs".into(), parts: vec![inspect_labels(&outcome)] };
//! assert!(page.html().starts_with("<!DOCTYPE html>"));
//! assert!(page.svg_files().all(|(name, svg)| name.ends_with(".svg") && svg.starts_with("<svg")));
//! # Ok::<(), beanjar::Error>(())
//! ```
//!
//! A [`Chart`] is a figure of lines on its own:
//!
//! ```
//! use beanjar_report::{Chart, Series};
//!
//! let chart = Chart::new("Guesses", "people asked", "error").with(Series::new("mean", [(1.0, 30.0), (2.0, 21.0)]));
//! assert!(chart.svg().starts_with("<svg"));
//! ```
#![warn(missing_docs)]

mod chart;
mod columns;
mod figure;
mod frame;
mod heat;
mod number;
mod page;
mod parts;
mod rows;
mod scale;
mod scatter;
mod svg;
mod table;
mod text;

pub use chart::{Chart, Series, stacked, tiled};
pub use figure::Figure;
pub use page::{Page, Part};
pub use parts::{aggregate, inspect_judgments, inspect_labels, learn, next, plan, score, select, votes, workers};
