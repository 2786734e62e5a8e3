//! Figures as SVG: text that any browser shows and any editor opens.
//!
//! ```
//! use beanjar_report::{Chart, Series};
//!
//! let chart = Chart::new("Guesses", "people asked", "error").with(Series::new("mean", [(1.0, 30.0), (2.0, 21.0)]));
//! assert!(chart.svg().starts_with("<svg"));
//! ```
#![warn(missing_docs)]

mod chart;

pub use chart::{Chart, Series, stacked};
